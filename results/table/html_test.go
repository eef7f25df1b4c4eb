package table_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// TestHTMLIsWellFormed: whatever the texts hold, every tag is closed, every
// footnote that is referred to is there, and nothing runs.
func TestHTMLIsWellFormed(t *testing.T) {
	hostile := hostileTable()
	hostile.Title += `</caption><script>alert(1)</script>`
	drawn := figure.Figure{Name: "figure", Title: "<b>", Caption: "&", SVG: []byte(`<?xml version="1.0"?><svg width="1"></svg>`)}
	var out bytes.Buffer
	if err := table.WriteHTML(&out, "<title>", nil, []table.Table{hostile}, []figure.Figure{drawn}); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	links, ids := map[string]bool{}, map[string]bool{}
	_, body, _ := strings.Cut(text, "<body>")
	d := xml.NewDecoder(strings.NewReader("<body>" + strings.TrimSuffix(strings.TrimSpace(body), "</html>")))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local == "script" {
			t.Error("a script")
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "href":
				links[strings.TrimPrefix(a.Value, "#")] = true
			case "id":
				ids[a.Value] = true
			}
		}
	}
	if len(links) == 0 {
		t.Error("no footnote is linked")
	}
	for link := range links {
		if !ids[link] {
			t.Errorf("%s is not on the page", link)
		}
	}
}
