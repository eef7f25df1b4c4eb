//go:build !gpu

package devices

import "errors"

func findCard(int) (*card, error) {
	return nil, errors.New("this build has no CUDA: build with -tags gpu")
}
