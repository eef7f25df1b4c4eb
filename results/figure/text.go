package figure

import (
	"image/color"
	"strings"

	"dgsbench/internal/escape"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of letters and the distance of their lines, in points.
const (
	titleSize = vg.Length(11)
	textSize  = vg.Length(9)
	spacing   = 1.25
)

// The shares of the size that letters reach above and below their line.
const ascent, descent = .905, .212

var (
	dark  = color.Gray{0x1a}
	faint = color.Gray{0x50}
)

// sans has the widths of Arial, which viewers without it have, or one like it.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// families name fonts of the same widths.
const families = "'Liberation Sans',Arimo,Arial,Helvetica,sans-serif"

// width returns that of a text. Letters of the Far East, which the font does not
// have, are as wide as high.
func width(text string, size vg.Length) vg.Length {
	const farEast = 0x2e80
	var known strings.Builder
	others := 0
	for _, r := range escape.Text(text) {
		if r >= farEast {
			others++
		} else {
			known.WriteRune(r)
		}
	}
	face := font.DefaultCache.Lookup(sans, size)
	return face.Width(known.String()) + vg.Length(others)*size
}

// write writes a line of text that begins at a point of its base line.
func write(on draw.Canvas, at vg.Point, text string, size vg.Length, ink color.Color) {
	on.SetColor(ink)
	on.FillString(font.DefaultCache.Lookup(sans, size), at, escape.Text(text))
}

// cut shortens a text to a width.
func cut(text string, size, most vg.Length) string {
	if width(text, size) <= most {
		return text
	}
	letters := []rune(text)
	for len(letters) > 1 && width(string(letters)+"…", size) > most {
		letters = letters[:len(letters)-1]
	}
	return strings.TrimSpace(string(letters)) + "…"
}

// wrap breaks a text into lines between words, at most three.
func wrap(text string, size, most vg.Length) []string {
	const limit = 3
	var lines []string
	words := strings.Fields(escape.Text(text))
	for i, word := range words {
		last := len(lines) - 1
		switch {
		case last >= 0 && width(lines[last]+" "+word, size) <= most:
			lines[last] += " " + word
		case len(lines) == limit:
			lines[last] = cut(strings.Join(append([]string{lines[last]}, words[i:]...), " "), size, most)
			return lines
		default:
			lines = append(lines, cut(word, size, most))
		}
	}
	return lines
}

// height returns that of lines.
func height(lines int, size vg.Length) vg.Length { return vg.Length(lines) * spacing * size }

// writeLines writes lines downwards from their upper edge.
func writeLines(on draw.Canvas, left, top vg.Length, lines []string, size vg.Length, ink color.Color) {
	for i, line := range lines {
		write(on, vg.Point{X: left, Y: top - height(i, size) - size}, line, size, ink)
	}
}
