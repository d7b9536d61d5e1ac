package localserver

import (
	"errors"
	"fmt"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
)

// The least time between two lines about progress.
const (
	progressEvery    = time.Second
	embedReportEvery = 10 * time.Second
)

// say prints a line for the person who started the program.
func (c Config) say(format string, arguments ...any) {
	fmt.Fprintf(c.Progress, "pdpp-mcp: "+format+"\n", arguments...)
}

type report struct {
	Config
	begun, reported time.Time
}

func (c Config) newReport() report { return report{c, c.Now(), c.Now()} }

// sayEvery prints a line unless the last one was printed less than moment ago.
func (r *report) sayEvery(moment time.Duration, format string, arguments ...any) {
	if now := r.Now(); now.Sub(r.reported) >= moment {
		r.reported = now
		r.say(format, arguments...)
	}
}

func (r *report) took() time.Duration { return r.Now().Sub(r.begun).Round(10 * time.Millisecond) }

type loadReport struct {
	report
	loaded, skipped int
	copies          int // files, and pieces of files, that equal others
	lines           int // printed about pieces of files
}

const maxNamed = 100

// keep names a record of which a part is missing.
func (r *loadReport) keep(s importer.Skip) { r.name("not in full", s) }

func (r *loadReport) skip(s importer.Skip) {
	if r.count(s); !s.IsCopy() {
		r.name("skipped", s)
	}
}

// name prints what happened to a piece of a file, up to maxNamed times.
func (r *loadReport) name(what string, s importer.Skip) {
	switch r.lines++; {
	case r.lines <= maxNamed:
		r.say("%s %s", what, s)
	case r.lines == maxNamed+1:
		r.say("what else is left out is only counted: doctor lists it")
	}
}

func (r *loadReport) count(s importer.Skip) {
	if s.IsCopy() {
		r.copies++
	} else {
		r.skipped++
	}
}

// goOn prints how many streams an interrupted load has stored.
func (r *loadReport) goOn(parts []model.Part) {
	before, all := 0, 0
	for _, part := range parts {
		all += len(part.Streams)
		if part.Same {
			before += len(part.Streams)
		}
	}
	if before > 0 {
		r.say("%d of %d streams were loaded before; going on with the others", before, all)
	}
}

func (r *loadReport) found(n int) { r.sayEvery(progressEvery, "found %d records so far", n) }

func (r *loadReport) load(n int) {
	r.loaded = n
	r.sayEvery(progressEvery, "loaded %d records so far", n)
}

func (r *loadReport) end() {
	copies := ""
	if r.copies > 0 {
		copies = fmt.Sprintf(", and %d that were read elsewhere", r.copies)
	}
	r.say("loaded %d records in %s, skipped %d%s", r.loaded, r.took(), r.skipped, copies)
}

type embedReport struct {
	report
	model   string
	failure error
}

func (r *embedReport) progress(p semantic.Progress) {
	switch {
	case p.Err != nil:
		if r.failure == nil || r.failure.Error() != p.Err.Error() {
			advice := "" // the flag to use for an endpoint on another machine
			if errors.Is(p.Err, embedding.ErrElsewhere) {
				advice = " with --embed-allow HOST"
			}
			r.say("%d of %d records have vectors, and it goes on when this passes: %s%s", p.Done, p.Records, p.Err, advice)
		}
	case p.Complete:
		r.say("all %d records have vectors of %s, after %s", p.Records, r.model, r.took())
	default:
		r.sayEvery(embedReportEvery, "%d of %d records have vectors so far", p.Done, p.Records)
	}
	r.failure = p.Err
}
