package rsclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// readsSeen is an Observer that records reads.
type readsSeen struct {
	rsclient.Observer
	reads []readSeen
}

type readSeen struct {
	Class  string
	Status int
}

func (s *readsSeen) Read(class string, status int, _ time.Duration) {
	s.reads = append(s.reads, readSeen{class, status})
}

// Each read is reported once, under a class without any part of the request, and the context of each attempt has that class.
func TestReadsAreCountedByClass(t *testing.T) {
	for path, class := range map[string]string{
		rs.Path("schema"):                                              "schema",
		rs.Path("streams"):                                             "streams",
		rs.Path("streams", "secret"):                                   "stream",
		rs.Path("streams", "secret", "records"):                        "records",
		rs.Path("streams", "secret", "records", "a/v1/b"):              "record",
		rs.Path("streams", "v1", "records", "secret", "field-window"):  "window",
		rs.Path("streams", "schema", "aggregate"):                      "aggregate",
		rs.Path("search"):                                              "search",
		rs.Path("blobs", "secret"):                                     "blob",
		rs.Path("secret"):                                              "other",
		rs.Path("streams", "secret", "secret"):                         "other",
		rs.Path("streams", "secret", "records", "secret", "something"): "other",
	} {
		t.Run(path, func(t *testing.T) {
			var seen readsSeen
			var attempts, ended []string
			client, err := rsclient.New(rsclient.Options{
				Base:      "https://rs.example/v1/below",
				Transport: roundTrip(func(*http.Request) (*http.Response, error) { return answer(404, `{}`), nil }),
				Observer:  &seen,
				Trace: func(r *http.Request) (*http.Request, func(int, int, error)) {
					attempts = append(attempts, rsclient.ClassFrom(r.Context()))
					return r, func(status, bytes int, err error) { ended = append(ended, fmt.Sprint(status, " ", bytes, " ", err)) }
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = client.For(caller("t")).Do(t.Context(), rs.Request{Path: path, Query: url.Values{"q": {"secret"}}, Binary: true})
			if diff := cmp.Diff([]readSeen{{class, 404}}, seen.reads); diff != "" {
				t.Error(diff)
			}
			if !slices.Equal(attempts, []string{class}) || !slices.Equal(ended, []string{"404 2 <nil>"}) {
				t.Errorf("the attempts know %q and ended with %q", attempts, ended)
			}
		})
	}
	if class := rsclient.ClassFrom(context.Background()); class != "" {
		t.Errorf("a request of no read has class %q", class)
	}
}

// Each attempt of a read is traced once: a failed one with its error, an answered one when its body has been read.
func TestEachAttemptIsTraced(t *testing.T) {
	refused := errors.New("refused")
	var sent, ended []string
	client, err := rsclient.New(rsclient.Options{
		Base: "https://rs.example",
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if sent = append(sent, r.Header.Get("Traceparent")); len(sent) == 1 {
				return nil, refused
			}
			return answer(200, `{"a":1}`), nil
		}),
		Trace: func(r *http.Request) (*http.Request, func(int, int, error)) {
			traced := r.Clone(r.Context())
			traced.Header.Set("Traceparent", fmt.Sprint("attempt ", len(sent)))
			return traced, func(status, bytes int, err error) { ended = append(ended, fmt.Sprint(status, " ", bytes, " ", err)) }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.For(caller("t")).Do(t.Context(), rs.Request{Path: "/v1/schema"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sent, []string{"attempt 0", "attempt 1"}) || !slices.Equal(ended, []string{"0 0 refused", "200 7 <nil>"}) {
		t.Errorf("sent %q, ended %q", sent, ended)
	}
}
