package localserver

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

const lockRetry = 100 * time.Millisecond

// lockPatience is how long to wait for an exclusive lock: a process that only inspects the index releases it sooner.
const lockPatience = 2 * time.Second

// endPatience is how long to wait for canceled work, such as a read from a disk that does not answer. The process then ends without it;
// the index keeps its last committed transaction.
const endPatience = 500 * time.Millisecond

var errStillReading = errors.New("the files are still being read")

// untilEnded calls run and returns its results, or errStillReading if run has not returned endPatience after ctx ended.
func untilEnded[T any](ctx context.Context, run func() (T, error)) (made T, err error) {
	done := make(chan struct{})
	var ran T
	var failed error
	go func() {
		defer close(done)
		ran, failed = run()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		select {
		case <-done:
		case <-time.After(endPatience):
			return made, errStillReading
		}
	}
	return ran, failed
}

// openIndexOf opens the index and fills it with the files or the sample year, unless it already has them. If another process serves an
// index of other files from that path, it reads the files into memory instead.
func openIndexOf(ctx context.Context, c Config) (*keeper, error) {
	wanted, problem := c.fingerprint()
	if c.DB == "" {
		return c.inMemory(ctx, wanted)
	}
	lock := flock.New(c.DB+lockEnding, flock.SetPermissions(0o600))
	for filled, occupied := false, false; ; {
		store, err := c.shared(ctx, lock, wanted)
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		if store != nil {
			index := &keeper{Config: c, store: store, lock: lock}
			if problem != nil {
				c.say("the files cannot be read now (%s); using the kept index", problem)
			} else if err := index.catchUp(ctx, wanted, filled); err != nil {
				return nil, errors.Join(err, index.close())
			}
			return index, nil
		}
		if err := lock.Unlock(); err != nil {
			return nil, err
		}
		alone, err := c.alone(ctx, lock)
		switch {
		case err != nil:
			return nil, err
		case alone:
			store, err := c.filled(ctx, c.DB, wanted)
			if err == nil {
				err = store.Close()
			}
			if err := errors.Join(err, lock.Unlock()); err != nil {
				return nil, err
			}
			filled = true
		case occupied:
			c.say("another pdpp-mcp serves an index of other files from there; this one reads its files into memory")
			return c.inMemory(ctx, wanted)
		default: // another process inspected it, or filled it in the meantime: try once more
			occupied = true
		}
	}
}

// catchUp reads the files that have changed since an index was filled. With InBackground, the first request does that instead.
func (k *keeper) catchUp(ctx context.Context, wanted string, justFilled bool) error {
	switch same, byNewer := k.compare(wanted); {
	case byNewer:
		k.say("a newer pdpp-mcp has read %s; using its index", k.Data)
	case same && !justFilled && k.Data != "":
		k.say("%s is unchanged; using the kept index", k.Data)
	case !same && !k.InBackground:
		return k.readAgain(ctx, wanted, nil)
	}
	return nil
}

// shared waits until no process fills the index, and opens it with a shared lock. It returns a nil store if the index is not of the wanted
// files, in this or an earlier state.
func (c Config) shared(ctx context.Context, lock *flock.Flock, wanted string) (*store.Store, error) {
	free, err := lock.TryRLock()
	if err == nil && !free {
		c.say("another pdpp-mcp reads these files; waiting for its index")
		_, err = lock.TryRLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, &store.IndexError{Path: c.DB, Reason: "cannot be locked: " + err.Error()}
	}
	held, _ := store.HeldIndex(ctx, c.DB) // an error is reported when it is filled
	place, _, _ := strings.Cut(wanted, placeEnd)
	if of, _, _ := strings.Cut(held, placeEnd); held == "" || of != place {
		return nil, nil
	}
	store, err := store.Open(ctx, c.DB)
	if err != nil {
		return nil, err
	}
	if _, ok := store.Loaded(); !ok { // of an older version
		return nil, store.Close()
	}
	return store, nil
}

// alone takes the exclusive lock, and reports whether that succeeded within lockPatience.
func (c Config) alone(ctx context.Context, lock *flock.Flock) (bool, error) {
	moment, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	alone, err := lock.TryLockContext(moment, lockRetry)
	if err != nil && moment.Err() != nil && ctx.Err() == nil {
		return false, nil
	}
	return alone, err
}

// filled opens an index, in memory if the path is empty, and fills it unless another process has just done so.
func (c Config) filled(ctx context.Context, path, wanted string) (*store.Store, error) {
	store, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	if held, ok := store.Loaded(); !ok || held != wanted {
		err = c.fill(ctx, store, wanted)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

func (c Config) inMemory(ctx context.Context, wanted string) (*keeper, error) {
	store, err := c.filled(ctx, "", wanted)
	if err != nil {
		return nil, err
	}
	return &keeper{Config: c, store: store}, nil
}

// fill fills a store with the sample year or with the person's own files.
func (c Config) fill(ctx context.Context, into *store.Store, fingerprint string) error {
	if c.Data == "" {
		year, err := sample.Year(ctx)
		if err != nil {
			return err
		}
		return into.Load(ctx, year, fingerprint, nil)
	}
	report := loadReport{report: c.newReport()}
	known, err := into.Known(ctx) // parts that an interrupted load has stored
	if err != nil {
		return err
	}
	corpus, err := c.read(ctx, known, importer.Watch{Now: c.Now(), Skipped: report.skip, Kept: report.keep, Found: report.found})
	if err == nil {
		report.goOn(corpus.Parts)
		err = into.Load(ctx, corpus, fingerprint, report.load)
	}
	if ctx.Err() != nil {
		return c.interrupted()
	}
	if err == nil {
		report.end()
	}
	return err
}
