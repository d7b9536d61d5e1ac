// Package embedding gets the vectors of texts from an embeddings endpoint in the format of OpenAI's /v1/embeddings, which Ollama, llama.cpp
// and LM Studio serve. The texts are a person's records, so it connects to this machine only, unless the person allows another host by
// name. Responses are not trusted.
package embedding

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Bounds of one request.
const (
	MaxTexts     = 32       // of one request
	maxDimension = 8192     // of a vector
	maxBody      = 16 << 20 // bytes of a response: 32 vectors of that dimension, with all digits
	dialTime     = 5 * time.Second
	answerTime   = 2 * time.Minute // a model may have to be loaded first
)

// Options configure a [Client].
type Options struct {
	URL   string   // http or https; /v1/embeddings is added to an address without a path, /embeddings to one that ends in /v1
	Model string   // as the endpoint calls it
	Allow []string // host names, as in URL, that need not be on this machine
}

// A Client sends requests to one endpoint. It is safe for concurrent use.
type Client struct {
	endpoint string
	model    string
	http     *http.Client
}

// New checks the options and returns a client. It sends nothing yet.
func New(o Options) (*Client, error) {
	endpoint, err := url.Parse(o.URL)
	switch {
	case err != nil, endpoint.Scheme != "http" && endpoint.Scheme != "https", endpoint.Hostname() == "":
		return nil, errors.New("the embeddings endpoint must be an http or https address, such as http://127.0.0.1:11434/v1/embeddings")
	case endpoint.User != nil, endpoint.RawQuery != "", endpoint.Fragment != "":
		return nil, errors.New("the address of the embeddings endpoint must have no user, query or fragment")
	case strings.TrimSpace(o.Model) == "":
		return nil, errors.New("an embeddings endpoint needs the name of a model")
	}
	switch path := strings.TrimRight(endpoint.Path, "/"); {
	case path == "":
		endpoint.Path = "/v1/embeddings"
	case strings.HasSuffix(path, "/v1"):
		endpoint.Path = path + "/embeddings"
	}
	allowed := slices.ContainsFunc(o.Allow, func(host string) bool { return strings.EqualFold(host, endpoint.Hostname()) })
	dialer := &net.Dialer{Timeout: dialTime}
	if !allowed {
		dialer.Control = onlyLoopback
	}
	transport := &http.Transport{
		DialContext:        dialer.DialContext, // without Proxy: proxies of the environment are ignored
		DisableCompression: true, MaxResponseHeaderBytes: 64 << 10, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
	}
	return &Client{endpoint: endpoint.String(), model: o.Model, http: &http.Client{
		Transport: transport, Timeout: answerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// ErrElsewhere means that an endpoint is neither on this machine nor allowed by name.
var ErrElsewhere = errors.New("the embeddings endpoint is not on this machine; allow it by name to send it your records")

// onlyLoopback refuses to connect to another machine. It checks the address that a name was resolved to.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !to.Addr().Unmap().IsLoopback() {
		return ErrElsewhere
	}
	return nil
}

// Model returns the name of the model.
func (c *Client) Model() string { return c.model }

type request struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

type response struct {
	Data []struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	} `json:"data"`
}

// Embed returns a vector of length 1 for each of 1 to [MaxTexts] texts, all of one dimension. Its errors do not contain the texts.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, _ := json.Marshal(request{Model: c.model, Input: texts}) // strings: it cannot fail
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	ask.Header.Set("Content-Type", "application/json")
	ask.Header.Set("Accept", "application/json")
	answer, err := c.http.Do(ask)
	if err != nil {
		return nil, fmt.Errorf("the embeddings endpoint does not answer: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		return nil, fmt.Errorf("the embeddings endpoint redirects (status %d), which is not followed", answer.StatusCode)
	}
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the embeddings endpoint answers with status %d: is its path right, and the model %q there?", answer.StatusCode,
			c.model)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("the answer of the embeddings endpoint breaks off: %w", err)
	}
	if len(text) > maxBody {
		return nil, fmt.Errorf("the answer of the embeddings endpoint is longer than %d bytes", maxBody)
	}
	return readVectors(text, len(texts))
}

// readVectors validates a response. It omits the error of the JSON decoder, which may repeat parts of the response.
func readVectors(text []byte, count int) ([][]float32, error) {
	var answer response
	if json.Unmarshal(text, &answer) != nil {
		return nil, errors.New("the answer of the embeddings endpoint does not have the form of /v1/embeddings")
	}
	if len(answer.Data) != count {
		return nil, fmt.Errorf("the embeddings endpoint answers %d texts with %d vectors", count, len(answer.Data))
	}
	vectors := make([][]float32, count)
	for _, one := range answer.Data {
		switch {
		case one.Index < 0 || one.Index >= count || vectors[one.Index] != nil:
			return nil, errors.New("the embeddings endpoint numbers its vectors wrongly")
		case len(one.Embedding) == 0 || len(one.Embedding) > maxDimension:
			return nil, fmt.Errorf("the embeddings endpoint sends a vector of dimension %d, of 1 to %d", len(one.Embedding), maxDimension)
		case len(one.Embedding) != len(answer.Data[0].Embedding):
			return nil, errors.New("the embeddings endpoint sends vectors of different dimensions")
		case !normalize(one.Embedding):
			return nil, errors.New("the embeddings endpoint sends a vector without a direction")
		}
		vectors[one.Index] = one.Embedding
	}
	return vectors, nil
}

// normalize scales a vector to length 1. It reports false if its length is 0 or not finite.
func normalize(vector []float32) bool {
	var sum float64
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsInf(sum, 0) || math.IsNaN(sum) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range vector {
		vector[i] = float32(float64(x) * scale)
	}
	return true
}
