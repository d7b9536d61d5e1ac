package tools_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// mailAndOrders is a resource server with a few records, whose search does not find them by their ids.
func mailAndOrders() *middlewaretest.RS {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"subject":"t=text,lex"},"expand_capabilities":[{"name":"body","stream":"bodies","cardinality":"has_one","usable":true}]},` +
		`{"name":"bodies","field_capabilities":{"text":"t=text,lex"}},{"name":"orders","field_capabilities":{"shop":"t=string,eq,lex"}}]}]}`
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		stream, record, isRecord := strings.Cut(strings.TrimPrefix(r.Path, "/v1/streams/"), "/records/")
		has := map[string]bool{"messages m-1": true, "bodies m-1": true, "orders 2026%2F0237": true, "orders A-9": true, "orders C-9": true}[stream+" "+record]
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(schema), nil
		case isRecord && has:
			id := strings.ReplaceAll(record, "%2F", "/")
			return middlewaretest.JSON(`{"object":"record","id":"` + id + `","stream":"` + stream + `","connection_id":"c","data":{}}`), nil
		case isRecord:
			return nil, &rs.Error{Code: "not_found", Status: http.StatusNotFound}
		case strings.HasSuffix(r.Query.Get("q"), "-9"):
			key := map[bool]string{true: "C-9", false: "m-7"}[r.Query.Get("q") == "C-9"] // other records mention A-9 and B-9
			return middlewaretest.JSON(`{"data":[{"stream":"orders","record_key":"` + key + `","connection_id":"c"}],` +
				`"meta":{"count":1,"recall":{"partial_count":0}}}`), nil
		case strings.HasPrefix(r.Query.Get("q"), "order "):
			return middlewaretest.JSON(`{"data":[{"stream":"orders","record_key":"o-9","connection_id":"c"}],` +
				`"meta":{"count":0,"recall":{"partial_count":1,"missing_words":["m-1"]}}}`), nil
		}
		return middlewaretest.JSON(`{"data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
	}}
}

// If a query matches no text, it may be the id of a record.
func TestAQueryWithoutHitsIsLookedUpAsAnID(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"q":"m-1"}`:                      `A record has it as its own id: fetch {"id":"c/messages:m-1"}`,
		`{"q":"#m-1!"}`:                    `A record has it as its own id: fetch {"id":"c/messages:m-1"}`,
		`{"q":"order m-1"}`:                `A record has it as its own id: fetch {"id":"c/messages:m-1"}`,
		`{"q":"m-1","streams":["bodies"]}`: `fetch {"id":"c/bodies:m-1"}`,
		`{"q":"2026/0237"}`:                `A record has it as its own id: fetch {"id":"pdpp://record/c/orders/2026%2F0237"}`,
		`{"q":"2026-0237"}`:                `Written "2026/0237", it is the own id of a record: fetch {"id":"pdpp://record/c/orders/2026%2F0237"}`,
		`{"q":"A-0007"}`:                   `Nor is "A-0007" the own id of a record, in 2 streams.`,
		`{"q":"A-9"}`:                      `A record has it as its own id: fetch {"id":"c/orders:A-9"}`,
		`{"q":"B-9"}`:                      "",
		`{"q":"C-9"}`:                      "",
		`{"q":"shop A-9"}`:                 "",
		`{"q":"2026-11-05"}`:               "",
		`{"q":"10:30"}`:                    "",
		`{"q":"42"}`:                       "",
		`{"q":"m-1 m-2"}`:                  "",
		`{"q":"nothing"}`:                  "",
	} {
		result := use(t, tools.PlainSearch("https://rs.example"), mailAndOrders(), []byte(arguments))
		hint := rs.AsObject(result.Structured).Object("data").Text("hint")
		if !strings.Contains(result.Text, want) || !strings.Contains(hint, want) ||
			want == "" && strings.Contains(result.Text, "own id") {
			t.Errorf("%s: %s\n%s", arguments, hint, result.Text)
		}
	}
}

// If an id was not looked up in all streams, because there are many or one failed, the answer says in which it was.
func TestAnswersNameTheStreamsInWhichAnIDWasLookedUp(t *testing.T) {
	var streams []string
	for i := range 102 {
		streams = append(streams, fmt.Sprintf(`{"name":"s%d","field_capabilities":{"subject":"t=text,lex"}}`, i))
	}
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
				strings.Join(streams, ",") + `]}]}`), nil
		case strings.Contains(r.Path, "/streams/s7/records/"):
			return nil, &rs.Error{Code: "overloaded", Status: http.StatusServiceUnavailable}
		case strings.Contains(r.Path, "/records/"):
			return nil, &rs.Error{Code: "not_found", Status: http.StatusNotFound}
		}
		return middlewaretest.JSON(`{"data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
	}}
	result := use(t, tools.PlainSearch("https://rs.example"), server, []byte(`{"q":"A-0007"}`))
	const want = `Nor is "A-0007" the own id of a record, in 99 streams. 3 others were not looked through: name them in streams.`
	if !strings.Contains(result.Text, want) {
		t.Error(result.Text)
	}
}

// If records of several connections have the same id and the call names no connection, all of them are found.
func TestAnIDOfSeveralConnectionsIsFoundInEach(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"a"},{"connection_id":"b"},{"connection_id":"c"}],` +
		`"streams":[{"name":"messages","field_capabilities":{"subject":"t=text,lex"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		connection := r.Query.Get("connection_id")
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(schema), nil
		case strings.HasSuffix(r.Path, "/records/dup-3") && connection == "":
			all := []rs.Connection{{ID: "a"}, {ID: "b"}, {ID: "c"}}
			return nil, &rs.Error{Code: "ambiguous_connection", Status: http.StatusConflict, Connections: all, ConnectionTotal: 3}
		case strings.HasSuffix(r.Path, "/records/dup-5") && connection == "":
			return nil, &rs.Error{Code: "ambiguous_connection", Status: http.StatusConflict, Connections: []rs.Connection{{ID: "a"}, {ID: "b"}}, ConnectionTotal: 2}
		case strings.HasSuffix(r.Path, "/records/dup-5") && connection == "a":
			return nil, &rs.Error{Code: "upstream_error", Status: http.StatusBadGateway}
		case strings.HasSuffix(r.Path, "/records/dup-3") && connection != "c":
			return middlewaretest.JSON(`{"object":"record","id":"dup-3","stream":"messages","connection_id":"` + connection + `","data":{}}`), nil
		case strings.Contains(r.Path, "/records/"):
			return nil, &rs.Error{Code: "not_found", Status: http.StatusNotFound}
		}
		return middlewaretest.JSON(`{"data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
	}}
	for q, want := range map[string]string{
		"dup-3": `A record has it as its own id: fetch {"id":"a/messages:dup-3"}, fetch {"id":"b/messages:dup-3"}`,
		"dup-4": `Nor is "dup-4" the own id of a record, in 1 stream.`,
	} {
		result := use(t, tools.PlainSearch("https://rs.example"), server, []byte(`{"q":"`+q+`"}`))
		if !strings.Contains(result.Text, want) || strings.Contains(result.Text, "not looked through") {
			t.Error(result.Text)
		}
	}
	// The connection that failed may have the record too.
	if result := use(t, tools.PlainSearch("https://rs.example"), server, []byte(`{"q":"dup-5"}`)); strings.Contains(result.Text, "Nor is") {
		t.Error(result.Text)
	}
}

// The parts of a possible id are not searched for one by one; only records with the whole id are.
func TestThePartsOfAnIDAreNotSearched(t *testing.T) {
	server := mailAndOrders()
	answer := server.Answer
	server.Answer = func(r rs.Request) (*rs.Response, error) {
		if q := r.Query.Get("q"); q != "" && q != "m-1" {
			t.Errorf("searches for %q", q)
		}
		if r.Query.Has("q") { // as a server that requires every word
			return middlewaretest.JSON(`{"data":[]}`), nil
		}
		return answer(r)
	}
	if _, text := searchWith(t, tools.Search("https://rs.example"), server, `{"q":"m-1"}`); !strings.Contains(text, `fetch {"id":"c/messages:m-1"}`) {
		t.Error(text)
	}
}
