package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"wsfanout/compare/result"
)

func htmlOf(t *testing.T, files ...*result.File) string {
	t.Helper()
	var out strings.Builder
	if err := HTML(&out, files); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestHTMLGolden(t *testing.T) {
	golden(t, "pictures.html", []byte(htmlOf(t, load(t, "pictures.json"))))
}

func TestHTMLNeedsAFile(t *testing.T) {
	if err := HTML(io.Discard, nil); err == nil {
		t.Error("no file, no error")
	}
}

// fixtures are what a page must cope with.
func fixtures(t *testing.T) map[string][]*result.File {
	empty := load(t, "onetrial.json")
	empty.Complete, empty.Verdict = false, nil
	for i := range empty.Cells {
		empty.Cells[i].Trials, empty.Cells[i].Summary = nil, nil
	}
	return map[string][]*result.File{
		"a real run":                 {load(t, "pictures.json")},
		"five strategies":            {load(t, "complete.json")},
		"ten engines, failed cells":  {load(t, "variants.json")},
		"interrupted":                {load(t, "troubled.json")},
		"one trial":                  {load(t, "onetrial.json")},
		"nothing measured yet":       {empty},
		"an empty file":              {{}},
		"an experiment":              {tunedFile()},
		"connections at rest":        {heldFile(6)},
		"blocking handlers":          {blockedFile(3)},
		"echoes":                     {echoedFile(3)},
		"an experiment and a matrix": {tunedFile(), load(t, "pictures.json")},
		"two runs over each other":   {load(t, "pictures.json"), load(t, "pictures.json")},
		"runs of different matrices": {load(t, "pictures.json"), load(t, "variants.json"), load(t, "troubled.json")},
	}
}

// A browser repairs what is not nested right, so that nothing but this test would see it.
func TestHTMLIsWellFormed(t *testing.T) {
	for why, files := range fixtures(t) {
		var open []string
		z := html.NewTokenizer(strings.NewReader(htmlOf(t, files...)))
		for {
			kind := z.Next()
			if kind == html.ErrorToken {
				if !errors.Is(z.Err(), io.EOF) {
					t.Errorf("%s: %v", why, z.Err())
				}
				break
			}
			token := z.Token()
			void := slices.Contains([]atom.Atom{atom.Meta, atom.Link, atom.Br}, token.DataAtom)
			switch {
			case kind == html.StartTagToken && !void:
				open = append(open, token.Data)
			case kind == html.EndTagToken:
				if len(open) == 0 || open[len(open)-1] != token.Data {
					t.Fatalf("%s: </%s> closes %v", why, token.Data, open)
				}
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: %v is never closed", why, open)
		}
	}
}

// elements visits the elements of a page in order.
func elements(t *testing.T, page string, visit func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			visit(n)
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			text.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(text.String()), " ")
}

func TestEveryPictureHasATitleAWordAndMarks(t *testing.T) {
	for why, files := range fixtures(t) {
		pictures := 0
		elements(t, htmlOf(t, files...), func(n *html.Node) {
			if n.Data != "svg" || attribute(n, "role") != "img" {
				return
			}
			pictures++
			title, desc, marks := "", "", 0
			for d := range n.Descendants() {
				switch {
				case d.Data == "title" && d.Parent == n:
					title = textOf(d)
				case d.Data == "desc":
					desc = textOf(d)
				case strings.HasPrefix(attribute(d, "class"), "mark ") && d.FirstChild != nil:
					marks++
				}
			}
			if title == "" || desc == "" || marks == 0 || !strings.Contains(attribute(n, "aria-label"), title) {
				t.Errorf("%s: a picture with title %q, text %q, %d marks", why, title, desc, marks)
			}
		})
		if pictures == 0 && anyMeasured(files[0]) {
			t.Errorf("%s: no picture", why)
		}
	}
}

// The page must not round, reorder or mix up what the file says: every figure of the matrix carries the file's number.
func TestMatrixNumbersAreThoseOfTheFile(t *testing.T) {
	for _, name := range []string{"pictures.json", "complete.json", "variants.json"} {
		f := load(t, name)
		seen := map[string]int{}
		elements(t, htmlOf(t, f), func(n *html.Node) {
			if n.Data != "tr" || n.Parent.Data != "tbody" || attribute(n.Parent.Parent, "class") != "matrix" {
				return
			}
			var c *result.Cell
			for d := range n.Descendants() {
				switch d.Data {
				case "th":
					c = cellOfRow(t, f, d)
				case "data":
					seen[attribute(d, "data-metric")]++
					checkFigure(t, c, d)
				}
			}
		})
		for _, column := range matrixColumns {
			if seen[column.Key] == 0 && !column.Apart { // of which TestClocksApart has a file
				t.Errorf("%s: no cell shows %s", name, column.Key)
			}
		}
	}
}

func cellOfRow(t *testing.T, f *result.File, head *html.Node) *result.Cell {
	t.Helper()
	engine := strings.TrimSpace(head.FirstChild.Data)
	for i := range f.Cells {
		if c := &f.Cells[i]; c.Engine == engine && c.Strategy == textOf(head.FirstChild.NextSibling) {
			return c
		}
	}
	t.Fatalf("no cell %q in the file", textOf(head))
	return nil
}

func checkFigure(t *testing.T, c *result.Cell, shown *html.Node) {
	t.Helper()
	key := attribute(shown, "data-metric")
	value, err := strconv.ParseFloat(attribute(shown, "value"), 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range matrixColumns {
		s, ok := c.Over(column.value)
		if column.Key == key && (!ok || s.Median != value) {
			t.Errorf("%s: %s is %v, the file has %v", name(c), key, value, s.Median)
		}
	}
	if s, ok := c.Summary[key]; ok && s.Median != value {
		t.Errorf("%s: %s is %v, the summary has %v", name(c), key, value, s.Median)
	}
	if key == "last_client_ns" && textOf(shown) != duration(value) {
		t.Errorf("%s: %q shows %v", name(c), textOf(shown), value)
	}
}

// A best cell is claimed only where the intervals allow it.
func TestBestCells(t *testing.T) {
	at := func(median, lo, hi float64) *result.Cell {
		c := &result.Cell{}
		for _, v := range []float64{lo, lo, median, median, hi, hi} {
			c.Trials = append(c.Trials, result.Trial{Healthy: &result.Phase{LastClient: &result.Last{Median: int64(v)}}})
		}
		return c
	}
	few := at(1, 1, 1)
	few.Trials = few.Trials[:5]
	low, near, far := at(10, 9, 11), at(12, 10, 13), at(20, 19, 21)
	for _, row := range []struct {
		why   string
		cells []*result.Cell
		want  int
	}{
		{"one stands apart", []*result.Cell{far, low}, 1},
		{"two overlap, a third is worse", []*result.Cell{low, near, far}, 2},
		{"all overlap: no choice", []*result.Cell{low, near}, 0},
		{"an interval is missing", []*result.Cell{few, far}, 0},
		{"nothing to compare with", []*result.Cell{low}, 0},
	} {
		if got := len(bestOf(row.cells, matrixColumns[0])); got != row.want {
			t.Errorf("%s: %d are best, want %d", row.why, got, row.want)
		}
	}
}

func TestSVGIsWellFormed(t *testing.T) {
	for why, files := range fixtures(t) {
		var out bytes.Buffer
		if err := SVG(&out, files[0]); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&out)
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", why, err)
			}
		}
	}
}

func TestSVGGolden(t *testing.T) {
	var out bytes.Buffer
	if err := SVG(&out, load(t, "pictures.json")); err != nil {
		t.Fatal(err)
	}
	golden(t, "pictures.svg", out.Bytes())
}

// A page that is handed on must not call home, and must not run anything.
func TestHTMLIsSelfContained(t *testing.T) {
	for why, files := range fixtures(t) {
		elements(t, htmlOf(t, files...), func(n *html.Node) {
			switch {
			case slices.Contains([]string{"script", "img", "iframe", "object", "embed"}, n.Data):
				t.Errorf("%s: <%s>", why, n.Data)
			case n.Data == "link" && attribute(n, "href") != "data:,":
				t.Errorf("%s: it links to %s", why, attribute(n, "href"))
			case n.Data == "a" && !strings.HasPrefix(attribute(n, "href"), "#"):
				t.Errorf("%s: it links to %s", why, attribute(n, "href"))
			}
		})
	}
}

// What a spec or an error says is text, whatever it holds.
func TestHTMLEscapes(t *testing.T) {
	f := load(t, "pictures.json")
	f.Cells[0].Engine = `<script>alert("x")</script>`
	f.Cells[1].Trials[0].Error = "</table><b>"
	text := htmlOf(t, f)
	if strings.Contains(text, "<script") || strings.Contains(text, "</table><b>") {
		t.Error("markup from the file reached the page")
	}
}
