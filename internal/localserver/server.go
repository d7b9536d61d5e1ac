// Package localserver serves the sample year or a person's own files to this process: it opens and fills their index, reads changed files,
// and makes the tokens and vectors.
package localserver

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// ClientID is the client id for the introspection and the package directory of a [Server].
const ClientID = "pdpp-mcp"

// A Server is an embedded resource server in this process, on a loopback port.
type Server struct {
	URL          string
	ClientSecret string // of [ClientID]
	OwnerSecret  string // approves requests of clients, and signs in to the web pages
	Tokens       authority.DemoTokens
	// IsOwner compares a text with the owner's secret. It is nil until the data is loaded.
	IsOwner func(secret string) bool

	index  *keeper // nil until it is loaded
	server *http.Server

	running     context.Context // until Close
	stopLoading context.CancelFunc
	embedding   sync.WaitGroup // goroutines that make vectors

	mu          sync.Mutex
	loaded      chan struct{}    // closed when loading has ended
	resources   http.HandlerFunc // answers requests after loading
	again       func()           // loads again if it is time for that; nil: loading has not failed
	grants      *authority.Grants
	granted     string // the store's generation that the grants are for
	makeVectors func()
}

// Start loads the data and serves it on loopback until [Server.Close].
func Start(ctx context.Context, c Config) (*Server, error) {
	if err := notReady(c.mayUseIndex(ctx)); err != nil {
		return nil, err
	}
	tokens, err := c.demoTokens()
	if err != nil {
		return nil, err
	}
	var listener net.Listener
	for _, address := range []string{c.Listen, "127.0.0.1:0"} {
		if address != "" && listener == nil {
			listener, err = new(net.ListenConfig).Listen(ctx, "tcp", address)
		}
	}
	if err != nil {
		return nil, err
	}
	s := &Server{Tokens: tokens, ClientSecret: rand.Text(), OwnerSecret: strings.ToLower(rand.Text()[:16]), loaded: make(chan struct{})}
	s.URL = "http://" + listener.Addr().String()
	s.server = service.NewHTTPServer("", s)
	go func() {
		if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			c.Log.Error().Err(err).Msg("embedded resource server")
		}
	}()
	ctx, s.stopLoading = context.WithCancel(ctx)
	s.running = ctx
	if c.InBackground {
		go s.loadInBackground(ctx, c)
		return s, nil
	}
	if err := s.load(ctx, c); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// loadInBackground loads the data while the server runs. After a failure, the first request after retryAfter starts it again.
func (s *Server) loadInBackground(ctx context.Context, c Config) {
	err := s.load(ctx, c)
	if err == nil || ctx.Err() != nil {
		return
	}
	c.Log.Error().Err(err).Msg("embedded resource server")
	retry := c.Now().Add(retryAfter)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = func() {
		if !c.Now().Before(retry) {
			s.loaded, s.again = make(chan struct{}), nil
			go s.loadInBackground(ctx, c)
		}
	}
}

// load opens and fills the index, and then lets waiting requests proceed.
func (s *Server) load(ctx context.Context, c Config) error {
	index, err := untilEnded(ctx, func() (*keeper, error) { return openIndexOf(ctx, c) })
	if errors.Is(err, errStillReading) {
		err = c.interrupted()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(s.loaded)
	if err = notReady(err); err != nil {
		why := "The files could not be read. The log of pdpp-mcp says why."
		if plain, ok := errors.AsType[*exit.Error](err); ok {
			why = plain.Message
		}
		s.resources = refusal(http.StatusInternalServerError, "index_failed", why)
		return err
	}
	s.index = index
	store, embeddings := s.index.store, s.embed(ctx, c)
	s.grants, s.granted = authority.DemoGrants(store.Connectors(), s.Tokens, time.Now()), store.Catalog().Generation
	server := embedded.NewServer(store, s.grants, embedded.Options{
		Pending: s.index.pending,
		Origin:  func() string { return s.URL }, Embeddings: embeddings,
		Terms: authority.Terms{ClientID: ClientID, ClientSecret: s.ClientSecret, OwnerSecret: s.OwnerSecret, TokenLife: c.TokenLife},
		Fault: func(r *http.Request, err error) {
			c.Log.Error().Err(err).Str("path", r.URL.Path).Msg("embedded resource server")
		},
	})
	s.IsOwner = server.IsOwner
	s.resources = func(w http.ResponseWriter, r *http.Request) {
		index.keepUp(s.running, r.Context())
		s.regrant(r.Context())
		server.ServeHTTP(w, r)
	}
	return nil
}

// embed starts making vectors of the loaded texts, until [Server.Close].
func (s *Server) embed(ctx context.Context, c Config) *semantic.Index {
	if c.Embed == nil {
		return nil
	}
	embeddings := semantic.New(s.index.store, c.Embed)
	report := embedReport{report: c.newReport(), model: c.Embed.Model()}
	var one sync.Mutex // held by the run that makes vectors
	s.makeVectors = func() {
		s.embedding.Go(func() {
			one.Lock()
			defer one.Unlock()
			if err := embeddings.Run(ctx, report.progress); err != nil && ctx.Err() == nil {
				c.Log.Error().Err(err).Msg("vectors")
			}
		})
	}
	s.makeVectors()
	return embeddings
}

// loadingPatience is how long a request waits for the data. It is shorter than a call's deadline, so that the caller learns the reason.
const loadingPatience = middleware.DefaultDeadline * 3 / 4

// ServeHTTP answers a request after the data is loaded, or with 503 index_loading if that takes too long. It refuses requests under a name
// that is not this machine's, which another site could have made to resolve to it (DNS rebinding).
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if host := (&url.URL{Host: r.Host}).Hostname(); !rsclient.IsLoopback(strings.ToLower(host)) {
		refusal(http.StatusMisdirectedRequest, "host_refused", "This server does not answer under that host name. Ask "+s.URL+".")(w, r)
		return
	}
	patience, stop := context.WithTimeout(r.Context(), loadingPatience)
	defer stop()
	s.mu.Lock()
	if s.again != nil {
		s.again()
	}
	loaded := s.loaded
	s.mu.Unlock()
	select {
	case <-loaded:
	case <-patience.Done(): // also if the client hung up
		w.Header().Set("Retry-After", "20") // longer than a client retries by itself
		refusal(http.StatusServiceUnavailable, "index_loading", "The files are still being read for the first time. Ask again in a moment.")(w, r)
		return
	}
	s.mu.Lock()
	resources := s.resources
	s.mu.Unlock()
	resources(w, r)
}

// regrant updates the grants of the demo's tokens after this or another process has read files again.
func (s *Server) regrant(ctx context.Context) {
	current, err := s.index.store.Current(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || current.Generation == s.granted { // the request itself reports an error
		return
	}
	s.granted = current.Generation
	s.grants.PutDemo(current.Connectors, s.Tokens, time.Now())
	if s.makeVectors != nil {
		s.makeVectors()
	}
}

// refusal returns a handler that answers with the error envelope of a resource server.
func refusal(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		web.WriteJSON(w, status, map[string]any{"error": map[string]string{"code": code, "type": "api_error", "message": message}})
	}
}

// Close stops loading and serving, and closes the index.
func (s *Server) Close() {
	s.stopLoading()
	s.mu.Lock()
	loaded := s.loaded
	s.mu.Unlock()
	<-loaded
	s.embedding.Wait()
	_ = s.server.Close()
	_ = s.index.close()
}

// Connectors returns the connectors of the loaded data.
func (s *Server) Connectors() []model.Connector { return s.index.store.Connectors() }

// LeftOut returns the pieces of the data that were not read, with the reasons.
func (s *Server) LeftOut() []model.LeftOut { return s.index.store.Catalog().LeftOut }
