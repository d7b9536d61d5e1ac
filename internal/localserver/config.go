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

// A Config is what a [Server] is started with.
type Config struct {
	Listen     string            // an address of loopback; one that is taken or empty is any
	Data       string            // absolute path of the person's own files; empty: the sample year
	DB         string            // path of the index; empty: in memory
	Embed      *embedding.Client // what makes vectors; nil: semantic search is refused
	Progress   io.Writer         // where it says how loading goes on
	Now        func() time.Time
	Log        zerolog.Logger
	TokenLife  time.Duration // of an access token that can be refreshed; 0: 10 minutes
	Behind     bool          // load while it serves: requests wait for the end of that
	KeepTokens bool          // beside the index, for the next start
	NewTokens  bool          // make others than those that are kept
}

// sampleFingerprint names the sample year among what an index can hold; sampleName is what any version of it begins with.
const (
	sampleName        = "sample year "
	sampleFingerprint = sampleName + "3"
)

// lockEnding ends the name of the file that is locked for an index: shared by those that serve it, exclusive for the one that fills it.
const lockEnding = ".lock"

// tokenKeyEnding ends the name of the file beside an index that the demo's tokens are derived from.
const tokenKeyEnding = ".key"

// mayUseIndex refuses an index file that is not to be touched. It keeps the sample year from replacing an
// index of a person's own files, which may be all that is left of them.
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

// notReady gives a refusal of an index file its exit code.
func notReady(err error) error {
	if refused, ok := errors.AsType[*store.IndexError](err); ok {
		return &exit.Error{Code: exit.NotReady, Message: refused.Error()}
	}
	return err
}

// ownFiles are the files of the index, which are not read as data.
func (c Config) ownFiles() []string {
	if c.DB == "" {
		return nil
	}
	return append(store.IndexFiles(c.DB), c.DB+lockEnding, c.DB+tokenKeyEnding)
}

// fingerprint names what is to be served, or says what is wrong with it.
func (c Config) fingerprint() (string, error) {
	if c.Data == "" {
		return sampleFingerprint, nil
	}
	sight, err := importer.Look(c.Data, c.ownFiles()...)
	return c.fingerprintOf(sight), err
}

// fingerprintOf names what lies in the folder, but for some files.
func (c Config) fingerprintOf(sight importer.Sight, except ...string) string {
	return filepath.Clean(c.Data) + placeEnd + sight.Fingerprint(c.Now(), except...)
}

// placeEnd is between the place of files and what they are.
const placeEnd = "\x00"

// interrupted says what becomes of a load that did not come to its end. Behind serving, nobody else says it.
func (c Config) interrupted() error {
	err := errors.New("interrupted while loading: the next start begins again; --db FILE would keep what is loaded")
	if c.DB != "" {
		err = errors.New("interrupted while loading: what was loaded to its end is kept, and the next start goes on from there")
	}
	if c.Behind {
		c.say("%v", err)
	}
	return err
}

// read reads what lies in the folder, but for parts that are known, and tells watch.
func (c Config) read(ctx context.Context, known map[string]model.Part, watch importer.Watch) (model.Corpus, error) {
	corpus, err := importer.Reopen(ctx, c.Data, known, watch, c.ownFiles()...)
	if err != nil && ctx.Err() == nil {
		err = exit.UsageError(err.Error())
	}
	return corpus, err
}
