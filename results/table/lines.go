package table

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// trimLines takes the padding off the ends of lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func widest(text string) int {
	widest := 0
	for _, line := range strings.Split(text, "\n") {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	return widest
}

// wrap breaks a text between words.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

func writeWrapped(out *bytes.Buffer, text, indent string) {
	if text != "" {
		fmt.Fprintln(out, strings.Join(wrap(text, textWidth-len(indent)), "\n"+indent))
	}
}
