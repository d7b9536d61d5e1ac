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

// When changed files are read.
const (
	lookEvery    = 5 * time.Second        // the least time between two looks; a request starts each
	lookTime     = 2 * time.Second        // how long a request waits for a look
	settledTime  = 300 * time.Millisecond // a file that does not change for this long is complete
	patientLooks = 2                      // looks that find incomplete files before the others are read without them

	retryAfter = time.Minute // before files that could not be read are tried again, unless they change
)

// A keeper updates a loaded store when its files change, and reports its state. While it is open, no other process can fill its index, but
// other keepers can update it.
type keeper struct {
	Config
	store *store.Store
	lock  *flock.Flock // of the index; nil in memory

	keeping sync.WaitGroup
	mu      sync.Mutex
	looked  time.Time     // when the last look began
	done    chan struct{} // closed when the current look ends; nil: none runs
	state   string        // a warning for answers; empty: all files are read

	// Used only by the current look:
	failed    string    // the fingerprint of files that could not be read
	retry     time.Time // when to read them again
	unsettled int       // looks since all was read that found incomplete files
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

// pending returns the warning for answers, "" if all files are read.
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

// keepUp starts a look for changed files, unless the last one was less than lookEvery ago, and waits for it for up to lookTime. The look
// itself ends with the context of the server.
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
	if done == nil || !begins && k.pending() != "" { // only the request that started a long look waits for it
		return
	}
	patience, stop := context.WithTimeout(request, lookTime)
	defer stop()
	select {
	case <-done:
	case <-patience.Done():
	}
}

// look reads changed files once they are complete. Files that keep changing delay the others only for patientLooks.
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

// update reads the changed files that are complete. It returns the fingerprint of what it read or could not read.
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

// nothingToRead reports whether the files are already read or must not be read now, and sets the warning for answers.
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

// changing waits for settledTime and returns the files that changed meanwhile.
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

// readAgain reads changed files, except those in later, or waits until another process has read them.
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

// compare compares the files in the index with those of a fingerprint.
func (k *keeper) compare(wanted string) (same, byNewer bool) {
	held, _ := k.store.Loaded()
	_, read, _ := strings.Cut(held, placeEnd)
	_, now, _ := strings.Cut(wanted, placeEnd)
	return importer.Compare(read, now)
}

// close waits for the current look, at most endPatience, and closes the store.
func (k *keeper) close() error {
	if k == nil {
		return nil
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := untilEnded(ended, func() (struct{}, error) { k.keeping.Wait(); return struct{}{}, nil }); err != nil {
		return err
	}
	err := k.store.Close()
	if k.lock != nil {
		err = errors.Join(err, k.lock.Close())
	}
	return err
}
