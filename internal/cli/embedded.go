package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// An embeddedServer is the resource server of demo, on a port of its own.
type embeddedServer struct {
	url          string
	clientSecret string
	ownerSecret  string // approves what clients ask for, and opens the pages over the data
	tokens       authority.DemoTokens
	index        *openIndex // nil until it is loaded
	server       *http.Server

	running     context.Context // until close
	stopLoading context.CancelFunc
	loaded      chan struct{}  // closed when loading has ended
	embedding   sync.WaitGroup // the making of vectors, behind serving
	resources   http.Handler   // what answers once it has; nil when it failed
	isOwner     func(secret string) (bool, error)

	mu          sync.Mutex
	grants      *authority.Grants
	granted     string // the generation of what they grant
	makeVectors func()
}

type embeddedConfig struct {
	listen   string // an address of loopback; one that is taken or empty is any
	data, db string
	embed    *embedding.Client // what makes vectors; nil: semantic search is refused
	progress io.Writer
	now      func() time.Time // of the progress
	log      zerolog.Logger
	life     time.Duration // of an access token that can be refreshed; 0: 10 minutes
	behind   bool          // load while it serves: requests wait for the end of that

	keepTokens bool // beside the index, for the next start
	newTokens  bool // make others than those that are kept
}

const embeddedClientID = "pdpp-mcp"

// startEmbedded loads the data and serves it on loopback until close.
func startEmbedded(ctx context.Context, c embeddedConfig) (*embeddedServer, error) {
	if err := c.mayUseIndex(ctx); err != nil {
		return nil, err
	}
	tokens, err := c.demoTokens()
	if err != nil {
		return nil, err
	}
	var listener net.Listener
	for _, address := range []string{c.listen, "127.0.0.1:0"} {
		if address != "" && listener == nil {
			listener, err = new(net.ListenConfig).Listen(ctx, "tcp", address)
		}
	}
	if err != nil {
		return nil, err
	}
	e := &embeddedServer{tokens: tokens, clientSecret: rand.Text(), ownerSecret: strings.ToLower(rand.Text()[:12]), loaded: make(chan struct{})}
	e.url = "http://" + listener.Addr().String()
	e.server = service.NewHTTPServer("", e)
	go func() {
		if err := e.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.log.Error().Err(err).Msg("embedded resource server")
		}
	}()
	ctx, e.stopLoading = context.WithCancel(ctx)
	e.running = ctx
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

// load opens the index and fills it, and lets the requests in that waited for it.
func (e *embeddedServer) load(ctx context.Context, c embeddedConfig) (err error) {
	defer close(e.loaded)
	if e.index, err = openIndexOf(ctx, c); err != nil {
		return err
	}
	store, embeddings := e.index.store, e.embed(ctx, c)
	e.grants, e.granted = authority.DemoGrants(store.Connectors(), e.tokens, time.Now()), store.Catalog().Generation
	server := embedded.NewServer(store, e.grants, embedded.Options{
		Pending: e.index.pending,
		Origin:  func() string { return e.url }, ClientID: embeddedClientID, ClientSecret: e.clientSecret, Embeddings: embeddings,
		OwnerSecret: e.ownerSecret, TokenLife: c.life,
		Fault: func(r *http.Request, err error) {
			c.log.Error().Err(err).Str("path", r.URL.Path).Msg("embedded resource server")
		},
	})
	e.resources, e.isOwner = server, server.IsOwner
	return nil
}

// embed makes vectors of the loaded texts, until close.
func (e *embeddedServer) embed(ctx context.Context, c embeddedConfig) *semantic.Index {
	if c.embed == nil {
		return nil
	}
	embeddings := semantic.New(e.index.store, c.embed)
	report := embedReport{out: c.progress, now: c.now, model: c.embed.Model(), begun: c.now(), reported: c.now()}
	var one sync.Mutex // at a time
	e.makeVectors = func() {
		e.embedding.Go(func() {
			one.Lock()
			defer one.Unlock()
			if err := embeddings.Run(ctx, report.progress); err != nil && ctx.Err() == nil {
				c.log.Error().Err(err).Msg("vectors")
			}
		})
	}
	e.makeVectors()
	return embeddings
}

// loadingPatience is how long a request waits for the data: less than a call may take, so that its answer says why.
const loadingPatience = middleware.DefaultDeadline * 3 / 4

// ServeHTTP answers a request once the data is loaded, or says that it is not yet.
func (e *embeddedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	patience := time.NewTimer(loadingPatience)
	defer patience.Stop()
	select {
	case <-e.loaded:
	case <-patience.C:
		w.Header().Set("Retry-After", "20") // longer than a read is tried again
		refuseRead(w, http.StatusServiceUnavailable, "index_loading", "The files are still being read for the first time. Ask again in a moment.")
		return
	case <-r.Context().Done():
		return
	}
	if e.resources == nil {
		refuseRead(w, http.StatusInternalServerError, "index_failed", "The files could not be read. The log of pdpp-mcp says why.")
		return
	}
	e.index.keepUp(e.running, r.Context())
	e.regrant(r.Context())
	e.resources.ServeHTTP(w, r)
}

// regrant grants the demo's tokens what there is now, after this or another process has read files again.
func (e *embeddedServer) regrant(ctx context.Context) {
	if e.index == nil {
		return
	}
	current, err := e.index.store.Current(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil || current.Generation == e.granted { // what is wrong the answer says
		return
	}
	e.granted = current.Generation
	e.grants.PutDemo(current.Connectors, e.tokens, time.Now())
	if e.makeVectors != nil {
		e.makeVectors()
	}
}

// refuseRead writes the error envelope of a resource server.
func refuseRead(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"code": code, "type": "api_error", "message": message}})
}

func (e *embeddedServer) close() {
	e.stopLoading()
	<-e.loaded
	e.embedding.Wait()
	_ = e.server.Close()
	_ = e.index.close()
}
