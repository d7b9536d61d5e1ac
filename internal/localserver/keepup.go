package localserver

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// Times of keeping up with files.
const (
	lookEvery    = 5 * time.Second        // at most so often, and only when something is asked
	lookTime     = 2 * time.Second        // that an answer waits for
	settledTime  = 300 * time.Millisecond // a file that has not changed for so long is not being written
	patientLooks = 2                      // which find files that are being written, before the others are read without them

	retryAfter = time.Minute // what could not be read is not read again earlier, unless it changes
)

// A keeper keeps a loaded store up with its files, and says how far it is. While it is open no other process fills its index, but others
// keep it up as well.
type keeper struct {
	Config
	store *store.Store
	lock  *flock.Flock // of the index; nil in memory

	keeping sync.WaitGroup
	mu      sync.Mutex
	looked  time.Time     // when it was begun last
	done    chan struct{} // closed when that has ended
	state   string        // what answers say about it; empty: all is read

	// of the look that is going on:
	failed    string    // the fingerprint of files that could not be read
	retry     time.Time // when they are read again
	unsettled int       // so many looks since all was read found files that were being written
}

const (
	stillReading = "Files have changed and are still being read: this answer is from before. Ask again in a moment."
	stillWritten = "Files are still being written: they are read once they no longer change, and this answer has them as they were before."
	cannotRead   = "The files cannot be read now, as on a disk that is not connected; the log of pdpp-mcp says why. This answer is from " +
		"when they could be."
	readByNewer = "Files have changed. A newer pdpp-mcp has read them last, and this one leaves that to it: update this one. This answer " +
		"is from before."
	notReadAgain = "Files have changed and could not be read; the log of pdpp-mcp says why. They are read again in a minute. This answer " +
		"is from before."
)

// pending is what answers say: nothing if all is read.
func (k *keeper) pending() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.state
}

func (k *keeper) set(state string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.state = state
}

// keepUp looks whether files have changed, unless it did a moment ago, and reads them. It returns when that is done, or in a moment, while
// it goes on for as long as the context of the server.
func (k *keeper) keepUp(server, request context.Context) {
	if k.Data == "" {
		return
	}
	k.mu.Lock()
	begins := k.done == nil && k.Now().Sub(k.looked) >= lookEvery
	if begins {
		k.looked, k.done = k.Now(), make(chan struct{})
		k.keeping.Go(func() { k.look(server) })
	}
	done := k.done
	k.mu.Unlock()
	if done == nil || !begins && k.pending() != "" { // only the first waits for a long reading
		return
	}
	patience, stop := context.WithTimeout(request, lookTime)
	defer stop()
	select {
	case <-done:
	case <-patience.Done():
	}
}

// look reads what has changed, once it no longer changes. Files that keep changing do not hold up the others for long.
func (k *keeper) look(ctx context.Context) {
	defer func() {
		k.mu.Lock()
		close(k.done)
		k.done = nil
		k.mu.Unlock()
	}()
	sight, err := importer.Look(k.Data, k.ownFiles()...)
	if err != nil {
		if k.pending() != cannotRead {
			k.Log.Error().Err(err).Msg("the files cannot be read now")
		}
		k.set(cannotRead)
		return
	}
	if wanted, err := k.update(ctx, sight); err != nil && ctx.Err() == nil {
		k.failed, k.retry = wanted, k.Now().Add(retryAfter)
		k.set(notReadAgain)
		k.Log.Error().Err(k.store.Explain(err)).Msg("the files that have changed could not be read")
	}
}

// update reads those of the files that have changed and no longer do. It returns the fingerprint of what it read, or could not read.
func (k *keeper) update(ctx context.Context, sight importer.Sight) (wanted string, err error) {
	wanted = k.fingerprintOf(sight)
	if _, err := k.store.Current(ctx); err != nil || k.nothingToRead(wanted, "") {
		return wanted, err
	}
	k.set(stillReading)
	later, err := k.changing(ctx, sight)
	if err != nil {
		return wanted, err
	}
	state := ""
	if len(later) > 0 {
		state, wanted = stillWritten, k.fingerprintOf(sight, later...)
		if k.unsettled++; k.unsettled < patientLooks || k.nothingToRead(wanted, state) {
			return wanted, nil
		}
	}
	if err := k.readAgain(ctx, wanted, later); err != nil {
		return wanted, err
	}
	if len(later) == 0 {
		k.unsettled = 0
	}
	k.set(state)
	return wanted, nil
}

// nothingToRead reports that files are read already, or are not read now, and notes what answers say about it.
func (k *keeper) nothingToRead(wanted, read string) bool {
	switch same, byNewer := k.compare(wanted); {
	case same:
		k.set(read)
	case byNewer:
		k.set(readByNewer)
	case wanted == k.failed && k.Now().Before(k.retry):
		k.set(notReadAgain)
	default:
		return false
	}
	return true
}

// changing waits a moment and returns the files that have changed in it.
func (k *keeper) changing(ctx context.Context, since importer.Sight) ([]string, error) {
	settled, stop := context.WithTimeout(ctx, settledTime)
	defer stop()
	<-settled.Done()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	now, err := importer.Look(k.Data, k.ownFiles()...)
	return now.Changed(since), err
}

// readAgain reads what has changed, but for files that are left for later, or waits until another process has.
func (k *keeper) readAgain(ctx context.Context, wanted string, later []string) error {
	report := loadReport{report: k.newReport()}
	for {
		err := k.store.Update(ctx, func(known map[string]model.Part) (model.Corpus, error) {
			k.say("%s has changed; reading what is new", k.Data)
			return k.read(ctx, known, importer.Watch{Now: k.Now(), Skipped: report.count, Found: report.found, Later: later}) // doctor lists them
		}, wanted, report.load)
		if err == nil {
			report.end()
		}
		if !errors.Is(err, store.ErrBusy) || ctx.Err() != nil {
			return err
		}
	}
}

// compare compares the files that the index holds with those of a fingerprint.
func (k *keeper) compare(wanted string) (same, byNewer bool) {
	held, _ := k.store.Loaded()
	_, read, _ := strings.Cut(held, placeEnd)
	_, now, _ := strings.Cut(wanted, placeEnd)
	return importer.Compare(read, now)
}
