package rsclient

import (
	"net/http"
	"net/http/httptrace"
	"time"
)

// A Once sends each request at most once: a code or a refresh token that arrives twice can end the grant. It follows no redirect,
// which could lead to another server.
type Once struct{ HTTP http.Client }

// NewOnce returns a Once whose requests, with their answers, take at most limit.
func NewOnce(limit time.Duration) *Once {
	transport := NewTransport()
	transport.DisableKeepAlives = true // net/http repeats a request if a kept connection turns out to be closed
	return &Once{http.Client{
		Transport: transport, Timeout: limit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Do sends a request. After an error, connected reports whether the request may have reached the server.
func (o *Once) Do(request *http.Request) (response *http.Response, connected bool, err error) {
	request = request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected = true },
	}))
	request.GetBody = nil              // so that the transport cannot send it twice
	response, err = o.HTTP.Do(request) // #nosec G704 -- the callers check its address
	return response, connected, err
}
