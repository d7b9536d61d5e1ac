package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
)

// progressEvery is how often progress is printed, at most.
const progressEvery = time.Second

// A loadReport prints how the loading goes on.
type loadReport struct {
	out             io.Writer
	now             func() time.Time
	begun, reported time.Time
	loaded, skipped int
}

func (r *loadReport) skip(s importer.Skip) {
	r.skipped++
	fmt.Fprintf(r.out, "pdpp-mcp: skipped %s\n", s)
}

func (r *loadReport) found(n int) { r.progress("found", n) }

func (r *loadReport) load(n int) {
	r.loaded = n
	r.progress("loaded", n)
}

func (r *loadReport) progress(what string, n int) {
	now := r.now()
	if now.Sub(r.reported) < progressEvery {
		return
	}
	r.reported = now
	fmt.Fprintf(r.out, "pdpp-mcp: %s %d records so far\n", what, n)
}

func (r *loadReport) end() {
	fmt.Fprintf(r.out, "pdpp-mcp: loaded %d records in %s, skipped %d\n", r.loaded, r.now().Sub(r.begun).Round(10*time.Millisecond), r.skipped)
}
