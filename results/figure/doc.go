// Package figure draws points with labels and deviations, in panels, as SVG and
// PNG. What the points are it does not know.
package figure
