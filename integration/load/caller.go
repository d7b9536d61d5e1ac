package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// maxClients is how many clients there may be at most; pools of connections have room for as many.
const maxClients = 256

// A caller makes one prepared call, over and over. It is used by one goroutine at a time.
type caller interface {
	// call returns the answer, which is good until the next call.
	call() ([]byte, error)
}

// newTransport keeps a connection for each client.
func newTransport() *http.Transport {
	return &http.Transport{MaxIdleConns: maxClients, MaxIdleConnsPerHost: maxClients, DisableCompression: true}
}

// An httpCaller sends a request whose parts were made once.
type httpCaller struct {
	transport *http.Transport
	request   http.Request
	body      []byte // nil for a GET
	answer    bytes.Buffer
}

// newGet asks the stub itself.
func newGet(ctx context.Context, transport *http.Transport, base string, w workload, client int) (*httpCaller, error) {
	path, err := w.path()
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(base + path)
	if err != nil {
		return nil, err
	}
	request := http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: http.Header{"Authorization": {"Bearer " + w.tokenOf(client)}}}
	return &httpCaller{transport: transport, request: *request.WithContext(ctx)}, nil
}

// newPost asks an MCP server, as a client of the era does.
func newPost(ctx context.Context, transport *http.Transport, base, era string, w workload, client int) (*httpCaller, error) {
	at, err := url.Parse(base + "/mcp")
	if err != nil {
		return nil, err
	}
	header := http.Header{
		"Authorization": {"Bearer " + w.tokenOf(client)}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {era},
	}
	if era == modern {
		header["Mcp-Method"] = []string{w.method()}
		if w.tool != "" {
			header["Mcp-Name"] = []string{w.tool}
		}
	}
	c := &httpCaller{transport: transport, body: w.message(era, 1)}
	request := http.Request{Method: http.MethodPost, URL: at, Host: at.Host, Header: header, ContentLength: int64(len(c.body))}
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
	c.request = *request.WithContext(ctx)
	return c, nil
}

func (c *httpCaller) call() ([]byte, error) {
	request := c.request
	if c.body != nil {
		request.Body = io.NopCloser(bytes.NewReader(c.body))
	}
	response, err := c.transport.RoundTrip(&request)
	if err != nil {
		return nil, err
	}
	c.answer.Reset()
	_, err = c.answer.ReadFrom(response.Body)
	_ = response.Body.Close()
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", response.StatusCode, c.answer.Bytes())
	}
	return c.answer.Bytes(), err
}
