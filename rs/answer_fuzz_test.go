package rs_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The laws, for any bytes that a server sends back: a read ends in a response or a typed error, never both and never
// neither; a response is a 2xx of bounded, valid JSON in UTF-8, or untouched bytes where bytes were asked for; an error
// has a code and a sentence of one bounded line, and shows no token.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", "HTTP/1.1 404 Not Found\r\nRequest-Id: r\r\n\r\n{\"error\":{\"code\":\"x\",\"message\":\"y\"}}",
		"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n", "HTTP/1.1 429 Slow\r\nRetry-After: 99\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n\"\xff\"", "HTTP/1.0 999 \r\n\r\n[",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, sent []byte, binary bool) {
		client, err := rs.NewClient(rs.ClientOptions{
			Base: "https://rs.example", Retries: -1, MaxResponseBytes: 1000,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				return http.ReadResponse(bufio.NewReader(bytes.NewReader(sent)), r)
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x", Binary: binary})
		if (response == nil) == (err == nil) {
			t.Fatalf("%v, %v", response, err)
		}
		if err != nil {
			var e *rs.Error
			if !errors.As(err, &e) || e.Code == "" || strings.ContainsAny(string(e.Code), " \r\n\"") || e.Message == "" || len(e.Message) > 700 || strings.ContainsAny(e.Message, "\r\n") {
				t.Errorf("error %#v", err)
			}
			return
		}
		switch body := response.Body; {
		case response.Status < 200 || response.Status > 299 || len(body) > 3000: // of 1000 bytes each can become a mark of three
			t.Errorf("%d with %d bytes", response.Status, len(body))
		case !binary && (!json.Valid([]byte(body)) || !utf8.Valid([]byte(body))):
			t.Errorf("%q passed", body)
		case binary && !bytes.Contains(bytes.ReplaceAll(sent, []byte("\r"), nil), bytes.ReplaceAll([]byte(body), []byte("\r"), nil)) && !bytes.Contains(bytes.ToLower(sent), []byte("chunked")):
			t.Errorf("%q was not sent", body)
		}
	})
}

// The laws, for any schema document: a probe lets nobody in of a kind that the document does not name, and what it
// takes for a client is what the principal's own rule takes for one.
func FuzzSchemaProbe(f *testing.F) {
	for _, seed := range []string{
		`{"bearer":{"token_kind":"client","grant_id":"g"}}`, `{"data":{"bearer":{"token_kind":"owner"}}}`, `{"bearer":null,"data":{"bearer":{"token_kind":"client"}}}`,
		`{"bearer":{}}`, `[]`, `{"BEARER":{"Token_Kind":"client"}}`, `{"bearer":{"token_kind":"owner","token_kind":"client"}}`, `{"bearer":"client"}`, `{"bearer":{"token_kind":["client"]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) {
			return // the client lets nothing else through
		}
		probe := rs.SchemaProbe{For: func(rs.Token) rs.Doer {
			return doerFunc(func(context.Context, rs.Request) (*rs.Response, error) {
				return &rs.Response{Status: 200, Body: string(body)}, nil
			})
		}}
		verdict, err := probe.Judge(t.Context(), rs.NewToken(secretToken))
		if rs.AsError(err).Code == rs.AuthorityUnreachable && verdict == (rs.Verdict{}) {
			return // a name is there twice, or in another case
		}
		if err != nil || verdict.Inactive != nil {
			t.Fatalf("%+v, %v", verdict, err)
		}
		kind := verdict.Principal.Kind
		var document any
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber() // any number is valid JSON, whatever fits a float64
		if err := decoder.Decode(&document); err != nil {
			t.Fatal(err)
		}
		if kind != "" && !holds(document, kind) {
			t.Errorf("%s is of kind %q", body, kind)
		}
		if admitted := verdict.Principal.Admissible() == nil; admitted != (kind == rs.KindClient) {
			t.Errorf("%s: kind %q, admitted %v", body, kind, admitted)
		}
	})
}

// holds reports whether a text stands somewhere in a document.
func holds(document any, text string) bool {
	switch v := document.(type) {
	case string:
		return v == text
	case []any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	}
	return false
}

// The laws, for any two documents of two members: the merged one is valid JSON that says nothing of tokens, names each
// member that could not be read, and is the same when asked for again.
func FuzzPackageSchema(f *testing.F) {
	for _, seed := range []string{compactDocument, fullDocument, `{"connectors":[]}`, `{"connectors":null}`, `[]`, `{"streams":[{"name":"a"}]}`, `{"connectors":[{"streams":[{"name":1}]}]}`} {
		f.Add([]byte(seed), []byte(compactDocument))
		f.Add([]byte(fullDocument), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !json.Valid(a) || !json.Valid(b) || bytes.Contains(append(a, b...), []byte("tok_")) {
			return
		}
		server := &packageRS{answers: map[string]childAnswer{"tok_a": says(string(a)), "tok_b": says(string(b))}}
		family := packageOf(server, rs.PackageOptions{}, aChild("a"), aChild("b"))
		for _, request := range []rs.Request{{Path: rs.Path("schema")}, {Path: rs.Path("streams")}} {
			response, err := family.Do(t.Context(), request)
			if err != nil {
				if e := rs.AsError(err); e.Code == rs.Internal || e.Code == "" || len(e.Unavailable) != 2 {
					t.Errorf("%s: %v names %d members", request.Path, err, len(e.Unavailable))
				}
				continue
			}
			var merged struct {
				Connectors  []json.RawMessage `json:"connectors"`
				Unavailable []json.RawMessage `json:"unavailable_connections"`
			}
			if err := json.Unmarshal([]byte(response.Body), &merged); err != nil || bytes.Contains([]byte(response.Body), []byte("tok_")) || len(merged.Unavailable) > 1 {
				t.Fatalf("%s: %v of %s", request.Path, err, response.Body)
			}
			again, err := family.Do(t.Context(), request)
			if err != nil || !bytes.Equal([]byte(again.Body), []byte(response.Body)) {
				t.Errorf("%s: %s, then %v, %v", request.Path, response.Body, again, err)
			}
		}
	})
}
