package localserver

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
)

// progressEvery is how often progress is printed, at most.
const progressEvery = time.Second

// A loadReport prints how the loading goes on.
type loadReport struct {
	out             io.Writer
	now             func() time.Time
	begun, reported time.Time
	loaded, skipped int
	kept            string // the file of which a record is without something, as was said
}

// keep says which record is the first of a file that is kept without something: all rows of it may be short.
func (r *loadReport) keep(s importer.Skip) {
	if s.File != r.kept {
		r.kept = s.File
		fmt.Fprintf(r.out, "pdpp-mcp: not in full %s\n", s)
	}
}

func (r *loadReport) skip(s importer.Skip) {
	r.skipped++
	fmt.Fprintf(r.out, "pdpp-mcp: skipped %s\n", s)
}

// goOn says what an interrupted load has left.
func (r *loadReport) goOn(parts []model.Part) {
	before, all := 0, 0
	for _, part := range parts {
		all += len(part.Streams)
		if part.Same {
			before += len(part.Streams)
		}
	}
	if before > 0 {
		fmt.Fprintf(r.out, "pdpp-mcp: %d of %d streams were loaded before; going on with the others\n", before, all)
	}
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

// embedReportEvery is how often the progress of vectors is printed, at most.
const embedReportEvery = 10 * time.Second

// An embedReport prints how the making of vectors goes on.
type embedReport struct {
	out             io.Writer
	now             func() time.Time
	model           string
	begun, reported time.Time
	failure         error
}

func (r *embedReport) progress(p semantic.Progress) {
	switch {
	case p.Err != nil:
		if r.failure == nil || r.failure.Error() != p.Err.Error() {
			fmt.Fprintf(r.out, "pdpp-mcp: %d of %d records have vectors, and it goes on when this passes: %s\n", p.Done, p.Records,
				embedFailure(p.Err))
		}
	case p.Complete:
		fmt.Fprintf(r.out, "pdpp-mcp: all %d records have vectors of %s, after %s\n", p.Records, r.model,
			r.now().Sub(r.begun).Round(10*time.Millisecond))
	case r.now().Sub(r.reported) >= embedReportEvery:
		r.reported = r.now()
		fmt.Fprintf(r.out, "pdpp-mcp: %d of %d records have vectors so far\n", p.Done, p.Records)
	}
	r.failure = p.Err
}

// embedFailure says what to do about an endpoint on another machine.
func embedFailure(err error) string {
	if errors.Is(err, embedding.ErrElsewhere) {
		return err.Error() + " with --embed-allow HOST"
	}
	return err.Error()
}
