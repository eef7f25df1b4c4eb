//go:build !gpu

package devices

import "errors"

func findCard(int) (Target, error) {
	return Target{}, errors.New("this build has no CUDA: build with -tags gpu")
}

func cardElsewhere() (Target, error) { return findCard(0) }
