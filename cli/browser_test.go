package cli

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a real Chromium with one page open. It notes what the page
// requests and what it complains about.
type browser struct {
	t       *testing.T
	ctx     context.Context
	address string // of the page

	mu       sync.Mutex
	requests []string
	errors   []string
}

// chromium finds the browser. Without one, the test is skipped.
func chromium(t *testing.T) (program string) {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if program, err := exec.LookPath(name); err == nil {
			return program
		}
	}
	t.Skip("needs Chromium (Debian's package chromium)")
	return ""
}

// openBrowser opens a file.
func openBrowser(t *testing.T, program, file string) *browser {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	b.open(file)
	return b
}

// open opens a file, and forgets what the browser noted of the one before.
func (b *browser) open(file string) {
	b.t.Helper()
	b.mu.Lock()
	b.address, b.requests, b.errors = (&url.URL{Scheme: "file", Path: file}).String(), nil, nil
	b.mu.Unlock()
	b.do(chromedp.Navigate(b.address))
}

// note runs for every event of the page, in their order.
func (b *browser) note(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *log.EventEntryAdded:
		b.errors = append(b.errors, e.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, "console."+string(e.Type))
	}
}

func (b *browser) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// check fails for everything that the page has complained about, and for
// requests of anything but itself. An icon inside the page is no request.
func (b *browser) check() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.errors {
		b.t.Errorf("%s: the browser says: %s", b.address, text)
	}
	if !slices.Contains(b.requests, b.address) {
		b.t.Errorf("%s was not requested, only %q", b.address, b.requests)
	}
	for _, address := range b.requests {
		if address != b.address && !strings.HasPrefix(address, "data:") {
			b.t.Errorf("the page requests %s", address)
		}
	}
}

// allow makes another address that of the page.
func (b *browser) allow(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = slices.DeleteFunc(b.requests, func(a string) bool { return a == address })
}

// texts evaluates an expression that gives a list of texts.
func (b *browser) texts(script string) []string {
	b.t.Helper()
	out, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// view sets width and colours.
func (b *browser) view(width int64, scheme string) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 800))
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// screenshot leaves a picture of the whole page among the test's artefacts.
func (b *browser) screenshot(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
