package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"wsfanout/compare/result"
)

// browserNames are how Linux distributions call it.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome"}

func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range browserNames {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skipf("none of %s is on PATH: on Debian, apt-get install chromium", strings.Join(browserNames, ", "))
	return ""
}

// tab is a browser on the page of some files.
func tab(t *testing.T, browser string, files ...*result.File) context.Context {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := HTML(out, files); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	// The sandbox needs rights that a container or root does not have; the page is our own.
	ctx, stop := chromedp.NewContext(ctx, chromedp.WithAllocatorOptions(chromedp.ExecPath(browser), chromedp.NoSandbox))
	t.Cleanup(stop)
	listen(t, ctx)
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+path)); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// listen fails the test on anything that the browser has to say: a blocked load, a style that it does not know.
func listen(t *testing.T, ctx context.Context) {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	messages := make(chan string, 100)
	ended := make(chan struct{})
	quiet, stop := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		for m, err := range chromedp.Console(quiet) {
			if err != nil {
				return
			}
			messages <- fmt.Sprintf("%s: %s", m.Type, m.Text)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-ended
		close(messages)
		for m := range messages {
			t.Errorf("console: %s", m)
		}
	})
}

// seen is what the page looks like in the browser.
type seen struct {
	Width, Inner float64
	Outside      []string // elements that stick out of the page, other than in a box that scrolls
	Pictures     int
	Untitled     []string // pictures without a title, or without a mark that has an extent
	Ink, Paper   string
	Small        float64 // the smallest text of a picture, in pixels
}

const look = `(() => {
	const scrolls = e => e.closest('.scroll');
	const pictures = [...document.querySelectorAll('svg[role=img]')];
	const extent = m => { const b = m.getBBox(); return b.width + b.height > 0; };
	return {
		Width: document.documentElement.scrollWidth, Inner: window.innerWidth,
		Outside: [...document.querySelectorAll('body *')].filter(e => !scrolls(e) && !e.closest('svg') &&
			e.getBoundingClientRect().right > window.innerWidth + 0.5).map(e => e.tagName + ' ' + e.textContent.slice(0, 60)),
		Pictures: pictures.length,
		Untitled: pictures.filter(p => !p.querySelector(':scope > title')?.textContent ||
			![...p.querySelectorAll('.mark')].some(extent)).map(p => p.textContent.slice(0, 60)),
		Ink: getComputedStyle(document.querySelector('h1')).color, Paper: getComputedStyle(document.documentElement).backgroundColor,
		Small: Math.min(...pictures.map(p => 10.5 * p.getBoundingClientRect().width / p.viewBox.baseVal.width)),
	};
})()`

func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("the pages are the same in a race build: it runs without -short")
	}
	browser := findBrowser(t)
	for why, files := range map[string][]*result.File{
		"a real run":                {load(t, "pictures.json")},
		"ten engines, failed cells": {load(t, "variants.json")},
		"interrupted, long specs":   {load(t, "troubled.json")},
		"an experiment":             {tunedFile()},
		"runs over each other":      {load(t, "pictures.json"), load(t, "complete.json")},
	} {
		t.Run(why, func(t *testing.T) {
			ctx := tab(t, browser, files...)
			for _, screen := range []struct {
				name  string
				width int64
			}{{"desktop", 1280}, {"phone", 375}} {
				for _, scheme := range []string{"light", "dark"} {
					t.Run(screen.name+" "+scheme, func(t *testing.T) { checkLook(t, show(t, ctx, screen.width, scheme), scheme) })
				}
			}
		})
	}
}

func show(t *testing.T, ctx context.Context, width int64, scheme string) seen {
	t.Helper()
	_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 800, DeviceScaleFactor: 1, Mobile: width < 600,
	})
	if err != nil {
		t.Fatal(err)
	}
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := chromedp.Run(ctx, chromedp.Evaluate[seen](look))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkLook(t *testing.T, s seen, scheme string) {
	t.Helper()
	if s.Width > s.Inner || len(s.Outside) > 0 {
		t.Errorf("%v pixels of content on a screen of %v: %q", s.Width, s.Inner, s.Outside)
	}
	if s.Pictures == 0 || len(s.Untitled) > 0 {
		t.Errorf("%d pictures, without title or marks: %q", s.Pictures, s.Untitled)
	}
	if dark := lightness(t, s.Paper) < lightness(t, s.Ink); dark != (scheme == "dark") {
		t.Errorf("%s on %s is not %s", s.Ink, s.Paper, scheme)
	}
	if s.Small < 8 {
		t.Errorf("the smallest text of a picture has %.1f pixels", s.Small)
	}
}

// lightness of "rgb(1, 2, 3)", 0 to 255.
func lightness(t *testing.T, color string) float64 {
	t.Helper()
	var r, g, b float64
	if _, err := fmt.Sscanf(color, "rgb(%f, %f, %f)", &r, &g, &b); err != nil {
		t.Fatalf("%q: %v", color, err)
	}
	return 0.3*r + 0.59*g + 0.11*b
}
