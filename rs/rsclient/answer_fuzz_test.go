package rsclient_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// For any bytes that a server sends: a read returns either a response or a typed error; a response is a 2xx with
// bounded, valid JSON in UTF-8, or with unchanged bytes if the request is binary; an error has a code and a message of one
// bounded line, without a token.
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
		client, err := rsclient.New(rsclient.Options{
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
			if !errors.As(err, &e) || e.Code == "" || strings.ContainsAny(string(e.Code), " \r\n\"") || e.Message == "" || len(e.Message) > 700 ||
				strings.ContainsAny(e.Message, "\r\n") {
				t.Errorf("error %#v", err)
			}
			return
		}
		switch body := response.Body; {
		case response.Status < 200 || response.Status > 299 || len(body) > 3000: // each of 1000 bytes can become U+FFFD, which has three
			t.Errorf("%d with %d bytes", response.Status, len(body))
		case !binary && (!json.Valid([]byte(body)) || !utf8.Valid([]byte(body))):
			t.Errorf("%q passed", body)
		case binary && !bytes.Contains(bytes.ReplaceAll(sent, []byte("\r"), nil), bytes.ReplaceAll([]byte(body), []byte("\r"), nil)) && !bytes.Contains(bytes.ToLower(sent), []byte("chunked")):
			t.Errorf("%q was not sent", body)
		}
	})
}
