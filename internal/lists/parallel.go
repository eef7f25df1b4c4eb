package lists

import (
	"cmp"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Parallel calls f with each of 0 to n-1, on all cores. It returns the error of the lowest number.
func Parallel(n int, f func(i int) error) error {
	errs := make([]error, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			errs[i] = f(i)
			return nil
		})
	}
	group.Wait()
	return cmp.Or(errs...)
}
