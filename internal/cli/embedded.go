package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/service"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
)

// An embeddedServer is the resource server of demo, on a port of its own.
type embeddedServer struct {
	url          string
	clientSecret string
	tokens       authority.DemoTokens
	store        *embedded.Store
	server       *http.Server

	stopLoading context.CancelFunc
	loaded      chan struct{}  // closed when loading has ended
	embedding   sync.WaitGroup // the making of vectors, behind serving
	resources   http.Handler   // what answers once it has; nil when it failed
}

type embeddedConfig struct {
	data, db string
	embed    *embedding.Client // what makes vectors; nil: semantic search is refused
	progress io.Writer
	now      func() time.Time // of the progress
	log      zerolog.Logger
	behind   bool // load while it serves: requests wait for the end of that
}

const embeddedClientID = "pdpp-mcp"

// startEmbedded loads the data and serves it on loopback until close.
func startEmbedded(ctx context.Context, c embeddedConfig) (*embeddedServer, error) {
	store, err := openStore(ctx, c)
	if err != nil {
		return nil, err
	}
	e := &embeddedServer{store: store, clientSecret: rand.Text(), loaded: make(chan struct{})}
	if e.tokens, err = authority.NewDemoTokens(rand.Reader); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	e.url = "http://" + listener.Addr().String()
	e.server = service.NewHTTPServer("", e)
	go func() {
		if err := e.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error().Err(err).Msg("embedded resource server")
		}
	}()
	ctx, e.stopLoading = context.WithCancel(ctx)
	if c.behind {
		go func() {
			if err := e.load(ctx, c); err != nil && ctx.Err() == nil {
				c.log.Error().Err(err).Msg("embedded resource server")
			}
		}()
		return e, nil
	}
	if err := e.load(ctx, c); err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// load fills the store, and lets the requests in that waited for it.
func (e *embeddedServer) load(ctx context.Context, c embeddedConfig) error {
	defer close(e.loaded)
	if err := loadStore(ctx, e.store, c); err != nil {
		return err
	}
	embeddings := e.embed(ctx, c)
	e.resources = embedded.NewServer(e.store, authority.DemoGrants(e.store.Connectors(), e.tokens, time.Now()), embedded.Options{
		Origin: func() string { return e.url }, ClientID: embeddedClientID, ClientSecret: e.clientSecret, Embeddings: embeddings,
		Fault: func(r *http.Request, err error) {
			c.log.Error().Err(err).Str("path", r.URL.Path).Msg("embedded resource server")
		},
	})
	return nil
}

// embed makes vectors of the loaded texts, until close.
func (e *embeddedServer) embed(ctx context.Context, c embeddedConfig) *embedded.Embeddings {
	if c.embed == nil {
		return nil
	}
	embeddings := embedded.NewEmbeddings(e.store, c.embed)
	report := embedReport{out: c.progress, now: c.now, model: c.embed.Model(), begun: c.now(), reported: c.now()}
	e.embedding.Go(func() {
		if err := embeddings.Run(ctx, report.tell); err != nil && ctx.Err() == nil {
			c.log.Error().Err(err).Msg("vectors")
		}
	})
	return embeddings
}

// ServeHTTP answers a request once the data is loaded.
func (e *embeddedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case <-e.loaded:
	case <-r.Context().Done():
		return
	}
	if e.resources == nil {
		http.Error(w, "the data could not be loaded", http.StatusInternalServerError)
		return
	}
	e.resources.ServeHTTP(w, r)
}

func (e *embeddedServer) close() {
	e.stopLoading()
	<-e.loaded
	e.embedding.Wait()
	_ = e.server.Close()
	_ = e.store.Close()
}

// sampleFingerprint names the sample year among what an index can hold; sampleName is what any version of it begins with.
const (
	sampleName        = "sample year "
	sampleFingerprint = sampleName + "3"
)

// openStore opens the index, or one in memory. Its error is an exit.NotReady when the file is not to be touched.
func openStore(ctx context.Context, c embeddedConfig) (store *embedded.Store, err error) {
	if c.db != "" && c.data == "" {
		err = mayHoldSample(ctx, c.db)
	}
	if err == nil {
		store, err = embedded.NewStore(ctx, c.db)
	}
	if refused, ok := errors.AsType[*embedded.IndexError](err); ok {
		return nil, &exit.Error{Code: exit.NotReady, Message: refused.Error()}
	}
	return store, err
}

// mayHoldSample keeps the sample year from replacing an index of a person's own files, which may be all that is left of them.
func mayHoldSample(ctx context.Context, path string) error {
	held, err := embedded.HeldIndex(ctx, path)
	if err == nil && held != "" && !strings.HasPrefix(held, sampleName) {
		err = &embedded.IndexError{Path: path, Reason: "holds other files than the sample year, and is used only with --data and the place of those files"}
	}
	return err
}

// loadStore fills a store with the sample year, or with files of the person's own, unless it holds just that.
func loadStore(ctx context.Context, store *embedded.Store, c embeddedConfig) error {
	if c.data == "" {
		if held, ok := store.Loaded(); ok && held == sampleFingerprint {
			return nil
		}
		year, err := sample.Year(ctx)
		if err != nil {
			return err
		}
		return store.Load(ctx, year, sampleFingerprint, nil)
	}
	index := embedded.IndexFiles(c.db)
	fingerprint, problem := importer.Fingerprint(c.data, index...)
	if held, ok := store.Loaded(); ok && problem == nil && held == fingerprint {
		fmt.Fprintf(c.progress, "pdpp-mcp: %s is unchanged; using the kept index\n", c.data)
		return nil
	}
	report := loadReport{out: c.progress, now: c.now, begun: c.now(), reported: c.now()}
	corpus, err := importer.Open(ctx, c.data, importer.Watch{Skipped: report.skip, Found: report.found}, index...) // it says what it skips, and fails as the fingerprint did
	if err = cmp.Or(err, problem); err != nil && ctx.Err() == nil {
		return exit.UsageError(err.Error())
	}
	if err == nil {
		err = store.Load(ctx, corpus, fingerprint, report.load)
	}
	if ctx.Err() != nil {
		return errors.New("interrupted while loading; the next start loads again")
	}
	if err != nil {
		return err
	}
	report.end()
	return nil
}
