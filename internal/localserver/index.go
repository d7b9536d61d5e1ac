package localserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gofrs/flock"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// lockRetry is how often a lock that another process has is asked for.
const lockRetry = 100 * time.Millisecond

// lockPatience is how long a process that looks at an index may have it open.
const lockPatience = 2 * time.Second

// An openIndex is a loaded store that keeps up with its files. While it is open no other process fills it, but others keep it up as well.
type openIndex struct {
	keeper
	lock *flock.Flock // nil in memory
}

func (i *openIndex) close() error {
	if i == nil {
		return nil
	}
	i.keeping.Wait()
	err := i.store.Close()
	if i.lock != nil {
		err = errors.Join(err, i.lock.Close())
	}
	return err
}

// openIndexOf opens the index and fills it with the files or the sample year, unless it holds just that. Where another
// process serves an index of other files, this one reads the files into memory.
func openIndexOf(ctx context.Context, c Config) (*openIndex, error) {
	wanted, problem := c.fingerprint()
	if c.DB == "" {
		return c.inMemory(ctx, wanted, problem)
	}
	lock := flock.New(c.DB+lockEnding, flock.SetPermissions(0o600))
	for filled, occupied := false, false; ; {
		store, err := c.shared(ctx, lock, wanted)
		if err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		if store != nil {
			index := &openIndex{keeper: keeper{store: store, config: c}, lock: lock}
			same, byNewer := index.compare(wanted)
			switch {
			case problem != nil:
				fmt.Fprintf(c.Progress, "pdpp-mcp: the files cannot be read now (%s); using the kept index\n", problem)
			case byNewer:
				fmt.Fprintf(c.Progress, "pdpp-mcp: a newer pdpp-mcp has read %s; using its index\n", c.Data)
			case same && !filled && c.Data != "":
				fmt.Fprintf(c.Progress, "pdpp-mcp: %s is unchanged; using the kept index\n", c.Data)
			case !same && !c.Behind: // else the first who asks waits for it
				err = index.readAgain(ctx, wanted, nil)
			}
			if err != nil {
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
			if err := errors.Join(c.fillFile(ctx, wanted, problem), lock.Unlock()); err != nil {
				return nil, err
			}
			filled = true
		case occupied:
			fmt.Fprintln(c.Progress, "pdpp-mcp: another pdpp-mcp serves an index of other files from there; this one reads its files into memory")
			return c.inMemory(ctx, wanted, problem)
		default: // another process looked at it, or filled it in the meantime
			occupied = true
		}
	}
}

// shared waits until no process fills the index, and opens it if it holds what is wanted or what that was before: a nil store means that it
// does not.
func (c Config) shared(ctx context.Context, lock *flock.Flock, wanted string) (*store.Store, error) {
	free, err := lock.TryRLock()
	if err == nil && !free {
		fmt.Fprintln(c.Progress, "pdpp-mcp: another pdpp-mcp reads these files; waiting for its index")
		_, err = lock.TryRLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, &store.IndexError{Path: c.DB, Reason: "cannot be locked: " + err.Error()}
	}
	if held, _ := store.HeldIndex(ctx, c.DB); held == "" || place(held) != place(wanted) { // filling it reports what is wrong with it
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

// alone reports whether no other process has the index open, now or in a moment.
func (c Config) alone(ctx context.Context, lock *flock.Flock) (bool, error) {
	moment, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	alone, err := lock.TryLockContext(moment, lockRetry)
	if err != nil && moment.Err() != nil && ctx.Err() == nil {
		return false, nil
	}
	return alone, err
}

func (c Config) fillFile(ctx context.Context, wanted string, problem error) error {
	store, err := store.Open(ctx, c.DB)
	if err != nil {
		return err
	}
	if held, ok := store.Loaded(); !ok || problem != nil || held != wanted { // another process may just have filled it
		err = c.fill(ctx, store, wanted, problem)
	}
	return errors.Join(err, store.Close())
}

func (c Config) inMemory(ctx context.Context, wanted string, problem error) (*openIndex, error) {
	store, err := store.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	if err := c.fill(ctx, store, wanted, problem); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &openIndex{keeper: keeper{store: store, config: c}}, nil
}

// fill fills a store with the sample year, or with files of the person's own.
func (c Config) fill(ctx context.Context, into *store.Store, fingerprint string, problem error) error {
	if c.Data == "" {
		year, err := sample.Year(ctx)
		if err != nil {
			return err
		}
		return into.Load(ctx, year, fingerprint, nil)
	}
	report := loadReport{out: c.Progress, now: c.Now, begun: c.Now(), reported: c.Now()}
	known, err := into.Known(ctx) // of a load that was interrupted
	if err != nil {
		return err
	}
	corpus, err := importer.Reopen(ctx, c.Data, known, importer.Watch{Skipped: report.skip, Kept: report.keep, Found: report.found},
		c.ownFiles()...) // it says what it skips, and fails as the fingerprint did
	if err = cmp.Or(err, problem); err != nil && ctx.Err() == nil {
		return exit.UsageError(err.Error())
	}
	if err == nil {
		report.goOn(corpus.Parts)
		err = into.Load(ctx, corpus, fingerprint, report.load)
	}
	if ctx.Err() != nil {
		return c.interrupted()
	}
	if err != nil {
		return err
	}
	report.end()
	return nil
}
