package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The laws: bytes are one JSON-RPC message or a refusal with a code; a message is valid JSON and no batch; and it is the
// same message when it has been written and read again.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, `[]`, `[{"jsonrpc":"2.0"}]`, `null`, `""`, ``, ` `, `{"jsonrpc":"1.0"}`,
		`{"jsonrpc":"2.0","method":""}`, `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"JSONRPC":"2.0","id":1,"METHOD":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"x"}{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		message, refusal := parseMessage(raw)
		if (message.Message == nil) == (refusal == nil) {
			t.Fatalf("%q: %v, %v", raw, message, refusal)
		}
		if refusal != nil {
			if refusal.Code != jsonrpc.CodeParseError && refusal.Code != jsonrpc.CodeInvalidRequest || refusal.Message == "" ||
				!json.Valid(rpcError(nil, refusal)) {
				t.Errorf("%q: %+v", raw, refusal)
			}
			return
		}
		if !json.Valid(raw) || bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
			t.Errorf("%q passed", raw)
		}
		written, err := jsonrpc.EncodeMessage(message.Message)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		again, refusal := parseMessage(written)
		if refusal != nil {
			t.Fatalf("%q becomes %q: %v", raw, written, refusal)
		}
		twice, err := jsonrpc.EncodeMessage(again.Message)
		if err != nil || !bytes.Equal(written, twice) {
			t.Errorf("%q becomes %q, then %q", raw, written, twice)
		}
	})
}

// The laws: lines are the input cut at its line breaks, in their order and to the last byte; only a line above the limit
// is missing, and reported, and what follows it is read.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "\n", "a", "a\n", "a\nb", "\r\n\n", "a\n\nb\n", " \n", "\x00\n"} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(3))
	}
	long := strings.Repeat("x", maxLineBytes+2)
	f.Fuzz(func(t *testing.T, text []byte, at uint8) {
		lines := bytes.SplitAfter(text, []byte("\n"))
		tooLong := -1
		if n := int(at); n < len(lines)-1 { // one whole line in the middle becomes too long
			lines[n], tooLong = []byte(long+"\n"), n
		}
		reader := bufio.NewReaderSize(bytes.NewReader(bytes.Join(lines, nil)), 64)
		for i, want := range lines {
			got, err := readLine(reader)
			last := i == len(lines)-1
			switch {
			case i == tooLong:
				if !errors.Is(err, errLineTooLong) || got != nil {
					t.Fatalf("line %d: %d bytes, %v", i, len(got), err)
				}
			case !bytes.Equal(got, want):
				t.Fatalf("line %d is %q, want %q", i, got, want)
			case !last && err != nil || last && err != nil && !errors.Is(err, io.EOF) || last && err == nil && len(bytes.TrimSpace(want)) == 0:
				t.Fatalf("line %d: %v", i, err)
			}
		}
		if got, err := readLine(reader); len(got) > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %q, %v", got, err)
		}
	})
}
