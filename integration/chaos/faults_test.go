//go:build chaos

package chaos

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// A fault is a way in which a resource server fails for one read.
type fault struct {
	name   string // in the table
	slow   bool   // it lasts until the program's own timeout
	answer func(http.ResponseWriter, *http.Request)
	codes  []string // codes of the resource server that are passed on
	says   string   // text that the answer must contain
}

// word returns the name of the fault as a stream, which is also a word to search for.
func (f fault) word() string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(f.name)), "-")
}

// page is a valid answer, except that it contains the secret.
const page = `{"object":"list","data":[{"object":"record","id":"1","stream":"notes","data":{"body":"` + secret + `"}}],"has_more":false}`

var faults = []fault{
	{name: "Connection reset before the headers", answer: raw(func(c *net.TCPConn) { reset(c) })},
	{name: "Connection reset in the headers", answer: raw(func(c *net.TCPConn) {
		say(c, "HTTP/1.1 200 OK\r\nContent-Type: application/js")
		reset(c)
	})},
	{name: "Connection reset after the headers", answer: raw(func(c *net.TCPConn) {
		say(c, head("Content-Length: 1000"))
		reset(c)
	})},
	{name: "Connection reset in the body", answer: raw(func(c *net.TCPConn) {
		say(c, head("Content-Length: 1000")+page)
		reset(c)
	})},
	{name: "Body ends early", answer: raw(func(c *net.TCPConn) {
		say(c, head("Transfer-Encoding: chunked")+"400\r\n"+page)
	})},
	{name: "Body ends between two chunks", answer: raw(func(c *net.TCPConn) {
		say(c, head("Transfer-Encoding: chunked")+fmt.Sprintf("%x\r\n%s\r\n", len(page), page))
	})},
	{name: "Content-Length too long, then closed", answer: raw(func(c *net.TCPConn) {
		say(c, head(fmt.Sprintf("Content-Length: %d", len(page)+100))+page)
	})},
	{name: "Content-Length too long, then silence", slow: true, answer: raw(func(c *net.TCPConn) {
		say(c, head(fmt.Sprintf("Content-Length: %d", len(page)+100))+page)
		untilClosed(c)
	})},
	{name: "Content-Length too short", answer: raw(func(c *net.TCPConn) {
		say(c, head(fmt.Sprintf("Content-Length: %d", len(page)-10))+page)
	})},
	{name: "Not HTTP", answer: raw(func(c *net.TCPConn) { say(c, "220 mail.example ESMTP ready\r\n") })},
	{name: "Headers without end", answer: raw(func(c *net.TCPConn) {
		say(c, "HTTP/1.1 200 OK\r\n")
		for line := "X-Filler: " + strings.Repeat("x", 8000) + "\r\n"; say(c, line) == nil; {
		}
	})},
	{name: "Interim answers without end", answer: raw(func(c *net.TCPConn) {
		for line := "HTTP/1.1 103 Early Hints\r\nX-Filler: " + strings.Repeat("x", 8000) + "\r\n\r\n"; say(c, line) == nil; {
		}
	})},
	{name: "Silence for 30 s before the headers", slow: true, answer: raw(untilClosed)},
	{name: "Silence for 30 s in the body", slow: true, answer: raw(func(c *net.TCPConn) {
		say(c, head("Content-Length: 1000")+page)
		untilClosed(c)
	})},
	{name: "Headers at a byte per 100 ms", slow: true, answer: raw(func(c *net.TCPConn) { drip(c, head("Content-Length: 1000")+page) })},
	{name: "Body at a byte per 100 ms", slow: true, answer: raw(func(c *net.TCPConn) {
		say(c, head("Content-Length: 1000"))
		drip(c, page)
	})},
	{name: "gzip bomb: 10 MB that are 10 GB", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		bomb(w)
	}},
	{name: "Body without end", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":["`)
		for piece := strings.Repeat("x", 1<<16); ; {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}},
	{name: "gzip that is not gzip", answer: encoded([]byte(page))},
	{name: "gzip with a wrong checksum", answer: encoded(corrupt(zipped(page)))},
	{name: "gzip that ends early", answer: encoded(zipped(page)[:60])},
	{name: "500 with a page", answer: status(500, "text/html", "<h1>"+secret+"</h1>", "")},
	{name: "502 with a page", answer: status(502, "text/html", "<h1>"+secret+"</h1>", "")},
	{name: "503 with a code of its own", answer: status(503, "application/json", `{"error":{"code":"maintenance","message":"Back soon.","type":"api_error"}}`, ""), codes: []string{"maintenance"}},
	{name: "503 with Retry-After: 600", answer: status(503, "text/plain", "", "600"), says: `"retry_after_seconds":600`},
	{name: "504 without a body", answer: status(504, "", "", "")},
	{name: "429 with Retry-After: 30", answer: status(429, "application/json", `{"error":{"code":"rate_limited","message":"Slow down.","type":"rate_limit_error"}}`, "30"), codes: []string{"rate_limited"}, says: `"retry_after_seconds":30`},
	{name: "200 with a page", answer: status(200, "text/html", "<html><body>"+secret+"</body></html>", "")},
	{name: "200 without a body", answer: status(200, "application/json", "", "")},
	{name: "200 with JSON of another kind", answer: status(200, "application/json", `["`+secret+`"]`, "")},
	{name: "200 with JSON a million deep", answer: status(200, "application/json", strings.Repeat("[", 1_000_000)+strings.Repeat("]", 1_000_000), "")},
	{name: "204", answer: status(204, "", "", "")},
	{name: "302 to another host", answer: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://127.0.0.1:1/v1/schema")
		w.WriteHeader(302)
	}},
}

// raw takes over a connection from net/http and closes it afterwards.
func raw(play func(*net.TCPConn)) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer connection.Close()
		_ = connection.SetDeadline(time.Now().Add(30 * time.Second)) // no fault lasts longer
		play(connection.(*net.TCPConn))
	}
}

func head(line string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + line + "\r\n\r\n"
}

func say(c *net.TCPConn, text string) error {
	_, err := io.WriteString(c, text)
	return err
}

// reset closes a connection with RST instead of FIN.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// untilClosed waits until the other side closes the connection.
func untilClosed(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }

func drip(c *net.TCPConn, text string) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for i := range len(text) {
		<-tick.C
		if say(c, text[i:i+1]) != nil {
			return
		}
	}
}

func status(code int, kind, text, retryAfter string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func encoded(body []byte) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(body)
	}
}

func zipped(text string) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.Bytes()
}

func corrupt(z []byte) []byte {
	z[len(z)-6] ^= 0xff // in the checksum
	return z
}

// bomb writes 10 GB of one letter as 10 MB. All compressed blocks after the first are the same, so one is compressed and repeated.
func bomb(w io.Writer) {
	_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}) // RFC 1952, section 2.3
	var packed bytes.Buffer
	packer, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		return
	}
	letters := bytes.Repeat([]byte("x"), 1<<20)
	_, _ = io.WriteString(packer, `{"object":"list","data":["`)
	for range 2 {
		_, _ = packer.Write(letters)
		_ = packer.Flush()
	}
	if _, err := w.Write(packed.Bytes()); err != nil {
		return
	}
	packed.Reset()
	_, _ = packer.Write(letters)
	_ = packer.Flush()
	for range 10_000 {
		if _, err := w.Write(packed.Bytes()); err != nil {
			return
		}
	}
}
