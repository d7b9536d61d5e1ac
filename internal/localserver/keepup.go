package localserver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// Times of keeping up with files.
const (
	lookEvery   = 5 * time.Second        // at most so often, and only when something is asked
	lookTime    = 2 * time.Second        // that an answer waits for
	settledTime = 300 * time.Millisecond // a file that has not changed for so long is not being written
)

// A keeper says how far an index is with its files.
type keeper struct {
	keeping sync.WaitGroup
	mu      sync.Mutex
	looked  time.Time     // when it was begun last
	done    chan struct{} // closed when that has ended
	failed  string        // the fingerprint of files that could not be read
	state   string        // what answers say about it; empty: all is read
}

const (
	stillReading = "Files have changed and are still being read: this answer is from before. Ask again in a moment."
	notReadAgain = "Files have changed and could not be read; the log of pdpp-mcp says why. This answer is from before."
)

// pending is what answers say: nothing if all is read.
func (i *openIndex) pending() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.state
}

func (i *openIndex) set(state string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state = state
}

// keepUp looks whether files have changed, unless it did a moment ago, and reads them. It returns when that is done, or in a moment, while
// it goes on for as long as the context of the server.
func (i *openIndex) keepUp(server, request context.Context) {
	if i == nil || i.config.Data == "" {
		return
	}
	i.mu.Lock()
	if running := i.done != nil; !running && i.config.Now().Sub(i.looked) >= lookEvery {
		i.looked, i.done = i.config.Now(), make(chan struct{})
		i.keeping.Go(func() { i.look(server) })
	}
	done := i.done
	i.mu.Unlock()
	if done == nil || i.pending() != "" { // who asked first has waited
		return
	}
	patience := time.NewTimer(lookTime)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	case <-request.Done():
	}
}

// look reads what has changed, once it no longer changes.
func (i *openIndex) look(ctx context.Context) {
	defer func() {
		i.mu.Lock()
		close(i.done)
		i.done = nil
		i.mu.Unlock()
	}()
	wanted, err := i.config.fingerprint()
	current, failed := i.store.Current(ctx)
	if err = errors.Join(err, failed); err == nil {
		if current.Holds(wanted) {
			i.set("")
			return
		}
		if wanted == i.failed {
			return
		}
		i.set(stillReading)
		if !i.settled(ctx, wanted) {
			return // the next look sees
		}
		err = i.readAgain(ctx, wanted)
	}
	switch {
	case err == nil:
		i.set("")
	case ctx.Err() == nil:
		i.failed = wanted
		i.set(notReadAgain)
		i.config.Log.Error().Err(err).Msg("the files that have changed could not be read")
	}
}

// settled reports whether the files stay as they are for a moment.
func (i *openIndex) settled(ctx context.Context, wanted string) bool {
	timer := time.NewTimer(settledTime)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false
	}
	now, err := i.config.fingerprint()
	return err == nil && now == wanted
}

// readAgain reads what has changed, or waits until another process has.
func (i *openIndex) readAgain(ctx context.Context, wanted string) error {
	c := i.config
	report := loadReport{out: c.Progress, now: c.Now, begun: c.Now(), reported: c.Now()}
	count := func(importer.Skip) { report.skipped++ } // doctor lists them
	for {
		err := i.store.Update(ctx, func(known map[string]model.Part) (model.Corpus, error) {
			fmt.Fprintf(c.Progress, "pdpp-mcp: %s has changed; reading what is new\n", c.Data)
			corpus, err := importer.Reopen(ctx, c.Data, known, importer.Watch{Skipped: count, Found: report.found}, c.ownFiles()...)
			if err != nil && ctx.Err() == nil {
				err = exit.UsageError(err.Error())
			}
			return corpus, err
		}, wanted, report.load)
		if !errors.Is(err, store.ErrBusy) || ctx.Err() != nil {
			if err == nil {
				report.end()
			}
			return err
		}
	}
}
