package embedding

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func clientOf(t *testing.T, o Options) *Client {
	t.Helper()
	o.Model = "tiny"
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func endpointThat(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server
}

func TestEmbed(t *testing.T) {
	server := endpointThat(t, func(w http.ResponseWriter, r *http.Request) {
		var asked request
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
			t.Errorf("%s %s: %v", r.Method, r.URL, err)
		}
		if diff := cmp.Diff(request{Model: "tiny", Input: []string{"one", "two"}}, asked); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
		_, _ = io.WriteString(w, `{"object":"list","data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[3,4]}],"model":"tiny"}`)
	})
	for _, address := range []string{server.URL, server.URL + "/v1", server.URL + "/v1/", server.URL + "/v1/embeddings"} {
		got, err := clientOf(t, Options{URL: address}).Embed(t.Context(), []string{"one", "two"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]float32{{0.6, 0.8}, {0, 1}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
}

func TestHostileEndpoints(t *testing.T) {
	elsewhere := endpointThat(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	says := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	for _, test := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "redirects (status 307)"},
		{"an error", func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			http.Error(w, string(body), http.StatusNotFound)
		}, `status 404: is its path right, and the model "tiny" there?`},
		{"an endless body", func(w http.ResponseWriter, _ *http.Request) {
			for range maxBody/1024 + 2 {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1024)); err != nil {
					return
				}
			}
		}, "longer than 16777216 bytes"},
		{"a body that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"data":[`)
		}, "breaks off"},
		{"not JSON", says("<html>secret words"), "not have the form"},
		{"NaN", says(`{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`), "not have the form"},
		{"a number beyond float32", says(`{"data":[{"index":0,"embedding":[1e300]},{"index":1,"embedding":[1]}]}`), "not have the form"},
		{"null", says(`{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[1]}]}`), "dimension 0"},
		{"a vector too few", says(`{"data":[{"index":0,"embedding":[1]}]}`), "2 texts with 1 vectors"},
		{"a vector twice", says(`{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`), "numbers its vectors wrongly"},
		{"a number below the first", says(`{"data":[{"index":-1,"embedding":[1]},{"index":1,"embedding":[1]}]}`), "numbers its vectors wrongly"},
		{"different dimensions", says(`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,0]}]}`), "different dimensions"},
		{"too many dimensions", says(`{"data":[{"index":0,"embedding":[` + strings.Repeat("1,", maxDimension) + `1]},{"index":1,"embedding":[1]}]}`), "dimension 8193"},
		{"a vector of zeros", says(`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,0]}]}`), "without a direction"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := endpointThat(t, test.answer)
			got, err := clientOf(t, Options{URL: server.URL}).Embed(t.Context(), []string{"secret words", "two"})
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") || got != nil {
				t.Errorf("vectors %v, error %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestASlowEndpointTimesOut(t *testing.T) {
	server := endpointThat(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // otherwise the server does not notice that the client disconnects
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := clientOf(t, Options{URL: server.URL}).Embed(ctx, []string{"a"}); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("error %v", err)
	}
}

// TestOnlyThisMachineIsReached dials addresses that are not loopback: no connection may be made to any of them.
func TestOnlyThisMachineIsReached(t *testing.T) {
	for _, address := range []string{"http://192.0.2.1:1", "http://0.0.0.0:1", "http://[2001:db8::1]:1", "http://169.254.169.254"} {
		_, err := clientOf(t, Options{URL: address, Allow: []string{"another.example"}}).Embed(t.Context(), []string{"a"})
		if err == nil || !strings.Contains(err.Error(), "not on this machine") {
			t.Errorf("%s: error %v", address, err)
		}
	}
	t.Run("unless it is allowed by name", func(t *testing.T) {
		c := clientOf(t, Options{URL: "http://0.0.0.0:1", Allow: []string{"0.0.0.0"}})
		if _, err := c.Embed(t.Context(), []string{"a"}); err == nil || strings.Contains(err.Error(), "not on this machine") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a proxy is not used", func(t *testing.T) {
		proxy := endpointThat(t, func(http.ResponseWriter, *http.Request) { t.Error("the proxy got a request") })
		t.Setenv("HTTP_PROXY", proxy.URL)
		transport, ok := clientOf(t, Options{URL: "http://192.0.2.1:1"}).http.Transport.(*http.Transport)
		if !ok || transport.Proxy != nil {
			t.Error("the transport has a proxy")
		}
	})
}

func TestAddressesThatAreRefused(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:11434", "ftp://127.0.0.1", "http://", "http://u:p@127.0.0.1", "http://127.0.0.1?a=b", "http://127.0.0.1#a", "http://[::1"} {
		if _, err := New(Options{URL: address, Model: "m"}); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
	if _, err := New(Options{URL: "http://127.0.0.1", Model: " "}); err == nil {
		t.Error("an endpoint without a model is accepted")
	}
}

func FuzzReadVectors(f *testing.F) {
	f.Add([]byte(`{"data":[{"index":0,"embedding":[1,2]},{"index":1,"embedding":[3,4]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := readVectors(text, 2)
		if (err == nil) != (len(got) == 2) {
			t.Fatalf("%d vectors, error %v", len(got), err)
		}
		for _, vector := range got {
			if len(vector) == 0 || len(vector) != len(got[0]) {
				t.Fatal(fmt.Sprint(len(vector)))
			}
		}
	})
}
