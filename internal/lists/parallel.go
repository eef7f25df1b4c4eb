package lists

import (
	"cmp"
	"runtime"

	"golang.org/x/sync/errgroup"
)

// Parallel calls f with each of 0 to n-1, on all cores, also after an error. It returns the
// error of the lowest number. A panic of f is one of Parallel.
func Parallel(n int, f func(i int) error) error {
	errs, panics := make([]error, n), make([]any, n)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		group.Go(func() error {
			defer func() { panics[i] = recover() }()
			errs[i] = f(i)
			return nil
		})
	}
	group.Wait()
	if value := cmp.Or(panics...); value != nil {
		panic(value)
	}
	return cmp.Or(errs...)
}
