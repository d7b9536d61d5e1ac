package integration

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// ambiguousMessages are read differently by two parsers. The second of each pair of members would read records.
var ambiguousMessages = map[string]string{
	"method twice":                     `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"method twice, once escaped":       `{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"method under another case":        `{"jsonrpc":"2.0","id":1,"method":"tools/call","Method":"ping","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"METHOD alone":                     `{"jsonrpc":"2.0","id":1,"METHOD":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"id twice":                         `{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"id and Id":                        `{"jsonrpc":"2.0","id":1,"Id":2,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"the same id twice":                `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}},"id":1}`,
	"jsonrpc twice":                    `{"jsonrpc":"1.0","id":1,"jsonrpc":"2.0","method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"params twice":                     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema"},"params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"params with the long s":           `{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{},"params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"an unknown member twice":          `{"jsonrpc":"2.0","id":1,"x":1,"X":2,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"name twice":                       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema","name":"query_records","arguments":{"stream":"notes"}}}`,
	"Name beside name":                 `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","Name":"schema","arguments":{"stream":"notes"}}}`,
	"arguments twice":                  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"held"},"arguments":{"stream":"notes"}}}`,
	"Arguments beside arguments":       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"},"ARGUMENTS":{}}}`,
	"_meta twice":                      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"},"_meta":{},"_meta":{}}}`,
	"the version twice in _meta":       `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
	"uri twice":                        `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://schema","uri":"pdpp://record/cin_a/notes/1"}}`,
	"a method that is empty":           `{"jsonrpc":"2.0","id":1,"method":""}`,
	"a method that is null":            `{"jsonrpc":"2.0","id":1,"method":null,"params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
	"a call that is an answer":         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}},"result":{}}`,
	"a call that is an error":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}},"error":{"code":1,"message":""}}`,
	"invalid UTF-8":                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"query_records\",\"arguments\":{\"stream\":\"no\xfftes\"}}}",
	"invalid UTF-8 in an unknown name": "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"\xff\":1,\"params\":{\"name\":\"query_records\",\"arguments\":{\"stream\":\"notes\"}}}",
	"a duplicate beside an odd id":     `{"jsonrpc":"2.0","id":1.5,"method":"ping","method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
}

func TestAMessageThatTwoParsersReadDifferentlyIsRefused(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	p := startPiped(t, held.URL)
	p.send(t, initialize)
	p.receive(t)
	const good = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`
	for range 2 { // the second time, what a first call reads in addition is cached
		p.send(t, good+"\n")
		if got := p.receive(t); !strings.Contains(got, `"result"`) || strings.Contains(got, `"isError":true`) {
			t.Fatalf("a good call is answered %s", got)
		}
		if status, _, got := post(t, url, "a-token", good); status != 200 || strings.Contains(got, `"isError":true`) {
			t.Fatalf("a good call is answered %d %s", status, got)
		}
	}
	before := held.requests.Load()
	for name, message := range ambiguousMessages {
		p.send(t, message+"\n")
		const refused = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: `
		if got := p.receive(t); !strings.HasPrefix(got, refused) {
			t.Errorf("%s: over stdio it is answered %.300s", name, got)
		}
		if status, _, got := post(t, url, "a-token", message); status != 400 || !strings.HasPrefix(got, refused) {
			t.Errorf("%s: over HTTP it is answered %d %.300s", name, status, got)
		}
	}
	if requests := held.requests.Load() - before; requests != 0 {
		t.Errorf("the resource server got %d requests", requests)
	}
}

func TestAHeaderThatWasSentTwiceIsRefused(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	for _, era := range []string{legacyEra, modernEra} {
		for _, header := range []string{"Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id", "Authorization"} {
			request, err := toolCall(url, "a-token", era, "query_records", `{"stream":"notes"}`)
			if err != nil {
				t.Fatal(err)
			}
			first := request.Header.Get(header)
			if first == "" {
				first = "x"
			}
			request.Header[http.CanonicalHeaderKey(header)] = []string{first, first}
			before := held.requests.Load()
			got := send(http.DefaultClient, request)
			if got.err != nil || got.status != 400 && got.status != 401 {
				t.Errorf("%s twice in %s is answered %+v", header, era, got)
			}
			if requests := held.requests.Load() - before; header == "Authorization" && requests != 0 {
				t.Errorf("%s twice in %s: the resource server got %d requests", header, era, requests)
			}
		}
	}
}

// A proxy that filters by header sees the call that is made, whatever version of MCP the client states.
func TestAHeaderThatNamesAnotherCallIsRefused(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	asked := func(era string, headers map[string]string) outcome {
		request, err := toolCall(url, "a-token", era, "query_records", `{"stream":"notes"}`)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range headers {
			request.Header.Set(name, value)
		}
		return send(http.DefaultClient, request)
	}
	for _, era := range []string{legacyEra, modernEra} {
		got := asked(era, map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "query_records"})
		if got.err != nil || got.status != 200 || !strings.Contains(got.body, `"result"`) {
			t.Errorf("headers that name the call in %s are answered %+v", era, got)
		}
		for header, other := range map[string]string{"Mcp-Method": "tools/list", "Mcp-Name": "schema"} {
			for _, value := range []string{other, "", "x", "TOOLS/CALL", "Query_Records"} {
				before := held.requests.Load()
				got := asked(era, map[string]string{header: value})
				if requests := held.requests.Load() - before; got.err != nil || got.status != 400 || !strings.Contains(got.body, `"code":-32020`) || requests != 0 {
					t.Errorf("%s %q in %s is answered %+v after %d reads", header, value, era, got, requests)
				}
			}
		}
	}
	const read = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://schema","name":"x"}}`
	request, err := toolCall(url, "a-token", legacyEra, "schema", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	request.Body, request.ContentLength = io.NopCloser(strings.NewReader(read)), int64(len(read))
	request.Header.Set("Mcp-Name", "x")
	if got := send(http.DefaultClient, request); got.err != nil || got.status != 400 || !strings.Contains(got.body, `"code":-32020`) {
		t.Errorf("a resource under the name of another is answered %+v", got)
	}
}
