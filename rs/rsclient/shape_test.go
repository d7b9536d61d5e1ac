package rsclient_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Limits for the shape of an answer.
const (
	maxDepth  = 256
	maxValues = 1 << 20
)

// The values and levels of an answer are limited too, because they cost memory and time beyond its bytes.
func TestTheShapeOfAnAnswerIsBounded(t *testing.T) {
	nested := func(open, inner, closing string, levels int) string {
		return strings.Repeat(open, levels) + inner + strings.Repeat(closing, levels)
	}
	for _, test := range []struct {
		name, body string
		code       rs.Code // "" if it is accepted
	}{
		{"as many levels as allowed", nested("[", "1", "]", maxDepth), ""},
		{"one array too deep", nested("[", "1", "]", maxDepth+1), "invalid_response"},
		{"one object too deep", nested(`{"a":`, "1", "}", maxDepth+1), "invalid_response"},
		{"deeper than the decoder reads", nested("[", "", "]", 20_000), "invalid_response"},
		{"deep, and large within", nested(`{"a":`, `"`+strings.Repeat("x", 8<<20)+`"`, "}", 9_000), "invalid_response"},
		{"brackets one after the other are not deep", "[" + strings.TrimSuffix(strings.Repeat("[],", 10_000), ",") + "]", ""},
		{"brackets in a text are text", `{"a":"` + strings.Repeat(`[{\"`, 100_000) + `"}`, ""},
		{"a text that ends in a backslash", `{"a":"\\","b":"` + strings.Repeat("[", 1000) + `"}`, ""},
		{"as many values as allowed", "[" + strings.Repeat("1,", maxValues-1) + "1]", ""},
		{"one value too many", "[" + strings.Repeat("1,", maxValues) + "1]", "response_too_large"},
		{"many commas in a text", `["` + strings.Repeat(",", 2*maxValues) + `"]`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, test.body) }))
			defer server.Close()
			client, err := rsclient.New(rsclient.Options{Base: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.For(rsclient.Caller{Token: rs.NewToken("t")}).Do(t.Context(), rs.Request{Path: "/v1/schema"})
			var refused *rs.Error
			if errors.As(err, &refused) != (test.code != "") || refused != nil && (refused.Code != test.code || refused.Hint == "") {
				t.Errorf("got %v, want %q", err, test.code)
			}
		})
	}
}

// asAuthorities returns functions that ask the introspector and the directory about a token, at the endpoint of the test.
func asAuthorities(t *testing.T, url string) map[string]func(context.Context) error {
	t.Helper()
	introspector, err := auth.NewIntrospector(auth.IntrospectorOptions{LookupOptions: auth.LookupOptions{Endpoint: url}})
	if err != nil {
		t.Fatal(err)
	}
	directory, err := fanout.NewHTTPDirectory(auth.LookupOptions{Endpoint: url})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func(context.Context) error{
		"authority": func(ctx context.Context) error { _, err := introspector.Introspect(ctx, rs.NewToken("t")); return err },
		"directory": func(ctx context.Context) error { _, err := directory.Members(ctx, rs.NewToken("t")); return err },
	}
}

// readersOf returns all kinds of reads from an address.
func readersOf(t *testing.T, url string) map[string]func(context.Context) error {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: url})
	if err != nil {
		t.Fatal(err)
	}
	readers := asAuthorities(t, url)
	readers["resource server"] = func(ctx context.Context) error {
		_, err := client.For(rsclient.Caller{Token: rs.NewToken("t")}).Do(ctx, rs.Request{Path: "/v1/schema"})
		return err
	}
	return readers
}

// Decompression stops at the limit: of a gigabyte, the server sends only the decompressed limit and what fits into the
// buffers on the way.
func TestABombEndsAtTheLimit(t *testing.T) {
	const gigabyte = 1 << 30
	var unpacked atomic.Int64
	ended := make(chan struct{}, 3)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		defer func() { ended <- struct{}{} }()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		piece := []byte(strings.Repeat(" ", 1<<20))
		for unpacked.Store(0); unpacked.Load() < gigabyte; unpacked.Add(int64(len(piece))) {
			if _, err := zip.Write(piece); err != nil || zip.Flush() != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	}))
	defer server.Close()
	for name, read := range readersOf(t, server.URL) {
		if err := read(t.Context()); err == nil {
			t.Errorf("%s: the bomb is taken", name)
		}
		<-ended
		if unpacked.Load() >= gigabyte {
			t.Errorf("%s: the bomb was read to its end", name)
		}
	}
}

// An answer with 100 KiB of headers is refused.
func TestTheHeadersOfAnAnswerAreBounded(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 100<<10))
		_, _ = io.WriteString(w, `{"active":true,"status":"active"}`)
	}))
	defer server.Close()
	for name, read := range readersOf(t, server.URL) {
		if err := read(t.Context()); err == nil {
			t.Errorf("%s: an answer with 100 KiB of headers is taken", name)
		}
	}
}
