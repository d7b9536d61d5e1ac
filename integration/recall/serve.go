package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// A subject is the adapter in front of the embedded resource server, which is on loopback.
type subject struct {
	adapter http.Handler
	token   string
	streams map[string]int // records by stream
	reads   atomic.Int64   // of the resource server
	close   func()
}

// serve loads a folder, or the sample year if the path is empty.
func serve(ctx context.Context, path string, options embedded.Options) (*subject, error) {
	corpus, err := sample.Year(ctx)
	if path != "" {
		corpus, err = importer.Open(ctx, path, nil, importer.Watch{})
	}
	if err != nil {
		return nil, err
	}
	s := &subject{streams: map[string]int{}}
	records := corpus.Records
	corpus.Records = func(yield func(model.Record, error) bool) {
		records(func(r model.Record, err error) bool {
			s.streams[r.Stream]++
			return yield(r, err)
		})
	}
	tokens, err := authority.NewDemoTokens(rand.Reader)
	if err != nil {
		return nil, err
	}
	store, err := store.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	server := embedded.NewServer(store, authority.DemoGrants(corpus.Connectors, tokens, time.Now()), options)
	resources := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.reads.Add(1)
		server.ServeHTTP(w, r)
	}))
	s.token = "Bearer " + tokens.Client
	s.close = func() {
		resources.Close()
		_ = store.Close()
	}
	client, err := rsclient.New(rsclient.Options{Base: resources.URL})
	if err = errors.Join(err, store.Load(ctx, corpus, "recall", nil)); err != nil {
		return s, err
	}
	limits := web.DefaultLimits()
	limits.TokenRate = 0
	s.adapter = transport.Handler(transport.HandlerOptions{
		Server: transport.NewPipeline(transport.PipelineOptions{Client: client, Version: "0", Logger: zerolog.Nop()}),
		Authenticator: auth.NewTokenCache(auth.TokenCacheOptions{
			Authority: auth.SchemaProbe{For: func(t rs.Token) rs.Doer { return client.For(rsclient.Caller{Token: t}) }},
		}),
		Limiter: web.NewLimiter(limits, time.Now), Logger: zerolog.Nop(), Public: web.Public{Origin: "https://mcp.example"},
	})
	_, err = s.search(ctx, arguments("hello", nil)) // fills the token cache before measuring
	return s, err
}

// records returns the number of records in some streams, or in all if none is named.
func (s *subject) records(streams []string) (n int) {
	for name, count := range s.streams {
		if len(streams) == 0 || slices.Contains(streams, name) {
			n += count
		}
	}
	return n
}

// An answer is what one search returned, by channel.
type answer struct {
	seen  map[string]sight
	reads int
	took  time.Duration
}

// arguments returns the arguments of a search for ten hits.
func arguments(q string, streams []string) json.RawMessage {
	sent := map[string]any{"query": q, "limit": 10}
	if len(streams) > 0 {
		sent["streams"] = streams
	}
	text, _ := json.Marshal(sent) // strings and a number can always be marshaled
	return text
}

func (s *subject) search(ctx context.Context, arguments json.RawMessage) (answer, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":%s}}`, arguments)
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "https://mcp.example"+web.EndpointPath, strings.NewReader(body))
	request.Header = http.Header{
		"Authorization": {s.token}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-11-25"},
	}
	before, begun, response := s.reads.Load(), time.Now(), httptest.NewRecorder()
	s.adapter.ServeHTTP(response, request)
	a := answer{took: time.Since(begun), reads: int(s.reads.Load() - before)}
	var reply struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
			IsError           bool
		}
	}
	err := json.Unmarshal(response.Body.Bytes(), &reply)
	if err != nil || reply.Result.IsError || len(reply.Result.Content) == 0 {
		return answer{}, fmt.Errorf("search %s: %w: %d %.500s", arguments, err, response.Code, response.Body)
	}
	structured, err := readStructured(reply.Result.StructuredContent)
	a.seen = map[string]sight{"text": readText(reply.Result.Content[0].Text), "structured": structured}
	return a, err
}
