package localserver

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// A Config has the settings of a [Server].
type Config struct {
	Listen     string            // a loopback address; if it is empty or taken, a free one is chosen
	Data       string            // absolute path of the person's own files; empty: the sample year
	DB         string            // path of the index; empty: in memory
	Embed      *embedding.Client // makes vectors; nil: semantic search is refused
	Progress   io.Writer         // receives lines about the progress of loading
	Now        func() time.Time
	Log        zerolog.Logger
	TokenLife  time.Duration // of an access token that can be refreshed; 0: 10 minutes
	KeepTokens bool          // keep the demo's tokens next to the index for the next start
	NewTokens  bool          // replace the kept tokens

	InBackground bool // Start returns before loading ends; requests wait for it
}

// sampleFingerprint is the fingerprint of the sample year in an index; sampleName is the prefix that all its versions have.
const (
	sampleName        = "sample year "
	sampleFingerprint = sampleName + "3"
)

// lockEnding is the suffix of an index's lock file. Processes that serve the index hold a shared lock, the one that fills it an exclusive
// lock.
const lockEnding = ".lock"

// tokenKeyEnding is the suffix of the file next to an index with the key from which the demo's tokens are derived.
const tokenKeyEnding = ".key"

// mayUseIndex returns an error if the index file must not be changed. The sample year must not replace an index of a person's own files,
// which may be the only copy of them.
func (c Config) mayUseIndex(ctx context.Context) error {
	if c.DB == "" {
		return nil
	}
	if c.Data != "" {
		return store.CheckIndex(ctx, c.DB)
	}
	held, err := store.HeldIndex(ctx, c.DB)
	if err == nil && held != "" && !strings.HasPrefix(held, sampleName) {
		err = &store.IndexError{Path: c.DB, Reason: "holds other files than the sample year, and is used only with --data and the place of " +
			"those files"}
	}
	return err
}

// notReady adds the exit code to an error about an index file.
func notReady(err error) error {
	if refused, ok := errors.AsType[*store.IndexError](err); ok {
		return exit.NotReadyError(refused.Error())
	}
	return err
}

// ownFiles returns the files of the index, which must not be read as data.
func (c Config) ownFiles() []string {
	if c.DB == "" {
		return nil
	}
	return append(store.IndexFiles(c.DB), c.DB+lockEnding, c.DB+tokenKeyEnding)
}

// fingerprint returns the fingerprint of the data to serve. The error says why the files cannot be read.
func (c Config) fingerprint() (string, error) {
	if c.Data == "" {
		return sampleFingerprint, nil
	}
	sight, err := importer.Look(c.Data, c.ownFiles()...)
	return c.fingerprintOf(sight), err
}

// fingerprintOf returns the fingerprint of the folder without some files.
func (c Config) fingerprintOf(sight importer.Sight, except ...string) string {
	return filepath.Clean(c.Data) + placeEnd + sight.Fingerprint(c.Now(), except...)
}

// placeEnd separates the path of the files from their fingerprint.
const placeEnd = "\x00"

// interrupted returns the error of an unfinished load, which says what was kept. With InBackground it prints that too, because no caller gets
// the error.
func (c Config) interrupted() error {
	err := errors.New("interrupted while loading: the next start begins again; --db FILE would keep what is loaded")
	if c.DB != "" {
		err = errors.New("interrupted while loading: what was loaded to its end is kept, and the next start goes on from there")
	}
	if c.InBackground {
		c.say("%v", err)
	}
	return err
}

// read reads the folder, except parts that are known, and reports to watch.
func (c Config) read(ctx context.Context, known map[string]model.Part, watch importer.Watch) (model.Corpus, error) {
	corpus, err := importer.Open(ctx, c.Data, known, watch, c.ownFiles()...)
	if err != nil && ctx.Err() == nil {
		err = exit.UsageError(err.Error())
	}
	return corpus, err
}
