package report

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// drawing is one picture in the making. Its unit is about a CSS pixel; colours and lines come from svg.css, so that the same
// elements are right on paper, on a dark screen, and in a file of their own.
type drawing struct {
	width, height float64
	class         string
	title, desc   string
	body          strings.Builder
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(&d.body, format, args...) }

func (d *drawing) text(x, y float64, class, text string) {
	d.put(`<text x="%s" y="%s" class="%s">%s</text>`, px(x), px(y), class, html.EscapeString(text))
}

func (d *drawing) line(x1, y1, x2, y2 float64, class string) {
	d.put(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, px(x1), px(y1), px(x2), px(y2), class)
}

func (d *drawing) rect(x, y, width, height float64, class string) {
	d.put(`<rect x="%s" y="%s" width="%s" height="%s" class="%s"/>`, px(x), px(y), px(width), px(height), class)
}

func (d *drawing) path(class, data string) { d.put(`<path class="%s" d="%s"/>`, class, data) }

// group opens a group of marks: what they show appears when the pointer rests on them.
func (d *drawing) group(class, tip string) {
	d.put(`<g class="%s">`, class)
	if tip != "" {
		d.put(`<title>%s</title>`, html.EscapeString(pretty(tip)))
	}
}

func (d *drawing) end() { d.put("</g>\n") }

// inline is the picture as part of a page, which has the style sheet.
func (d *drawing) inline() string { return d.element("", "") }

// writeTo writes the picture as a file of its own.
func (d *drawing) writeTo(w io.Writer) error {
	attributes := fmt.Sprintf(` xmlns="http://www.w3.org/2000/svg" width="%s" height="%s"`, px(d.width), px(d.height))
	style := "<style>\n" + svgStyle + "</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n"
	_, err := io.WriteString(w, d.element(attributes, style)+"\n")
	return err
}

// element has the title as its name and the description as its text alternative.
func (d *drawing) element(attributes, style string) string {
	title, desc := html.EscapeString(pretty(d.title)), html.EscapeString(pretty(d.desc))
	return fmt.Sprintf("<svg%s class=\"picture %s\" viewBox=\"0 0 %s %s\" role=\"img\" aria-label=\"%s. %s\">\n<title>%s</title>\n<desc>%s</desc>\n%s%s</svg>",
		attributes, d.class, px(d.width), px(d.height), title, desc, title, desc, style, d.body.String())
}

// px is a coordinate to a tenth: no eye sees more, and the file stays small.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10+0, 'f', -1, 64) }

// glyph is the outline of a series' mark around x, y: series differ by shape, not by colour alone.
func glyph(series int, x, y, r float64) string {
	switch series % seriesKept {
	case 0: // disc
		return fmt.Sprintf("M%s %sa%[3]s %[3]s 0 1 0 %[4]s 0a%[3]s %[3]s 0 1 0 -%[4]s 0", px(x-r), px(y), px(r), px(2*r))
	case 1: // square
		return fmt.Sprintf("M%s %sh%[3]sv%[3]sh-%[3]sz", px(x-r*0.9), px(y-r*0.9), px(1.8*r))
	case 2: // triangle
		return fmt.Sprintf("M%s %sL%s %sH%sz", px(x), px(y-r*1.2), px(x+r*1.15), px(y+r*0.85), px(x-r*1.15))
	case 3: // diamond
		return fmt.Sprintf("M%s %sl%[3]s %[3]sl-%[3]s %[3]sl-%[3]s -%[3]sz", px(x), px(y-r*1.35), px(r*1.35))
	case 4: // triangle on its head
		return fmt.Sprintf("M%s %sL%s %sH%sz", px(x), px(y+r*1.2), px(x+r*1.15), px(y-r*0.85), px(x-r*1.15))
	}
	return fmt.Sprintf("M%s %sh%sm-%s -%sv%s", px(x-r*1.2), px(y), px(2.4*r), px(1.2*r), px(1.2*r), px(2.4*r)) // plus
}

// speck is one of many marks of a series in a scatter: a dot, or strokes that still tell apart where dots would not.
func speck(series int, x, y float64) string {
	switch series % seriesKept {
	case 0, 2, 4:
		return fmt.Sprintf("M%s %sh0", px(x), px(y))
	case 1:
		return fmt.Sprintf("M%s %sh3m-1.5 -1.5v3", px(x-1.5), px(y))
	}
	return fmt.Sprintf("M%s %sl2.4 2.4m-2.4 0l2.4 -2.4", px(x-1.2), px(y-1.2))
}

// seriesKept is how many series have a colour and a shape of their own.
const seriesKept = 6

func seriesClass(series int) string { return fmt.Sprintf("s%d", series%seriesKept) }
