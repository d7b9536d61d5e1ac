package rpc

import (
	"bytes"
	"encoding/json"
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
		message, refusal := readBoth(raw)
		if (message == nil) == (refusal == nil) {
			t.Fatalf("%q: %v, %v", raw, message, refusal)
		}
		if refusal != nil {
			if refusal.Code != jsonrpc.CodeParseError && refusal.Code != jsonrpc.CodeInvalidRequest || refusal.Message == "" ||
				!json.Valid(Error("", refusal)) {
				t.Errorf("%q: %+v", raw, refusal)
			}
			return
		}
		if !json.Valid(raw) || bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
			t.Errorf("%q passed", raw)
		}
		written, err := jsonrpc.EncodeMessage(message)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		again, refusal := readBoth(written)
		if refusal != nil {
			t.Fatalf("%q becomes %q: %v", raw, written, refusal)
		}
		twice, err := jsonrpc.EncodeMessage(again)
		if err != nil || !bytes.Equal(written, twice) {
			t.Errorf("%q becomes %q, then %q", raw, written, twice)
		}
	})
}

// readBoth reads a message here and as the SDK does.
func readBoth(raw []byte) (jsonrpc.Message, *jsonrpc.Error) {
	m, refusal := Read(raw)
	if refusal != nil {
		return nil, refusal
	}
	return m.Decode()
}
