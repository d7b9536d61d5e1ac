package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

func TestAFilterOfDatesIsReadAsWholeDays(t *testing.T) {
	server := newShopServer(t)
	const schema = "schema?stream=orders&view=compact"
	for name, row := range map[string]struct {
		tool, arguments string
		reads           []string
		readAs          string
		ids             string // of the matching records
	}{
		"a month of timestamps": {
			"query_records", `{"stream":"orders","connection_id":"cin_a","order":"asc","filter":{"at":{"gte":"2026-02-01","lte":"2026-02-28"}}}`,
			[]string{"schema?connection_id=cin_a&stream=orders&view=compact", "streams/orders/records?connection_id=cin_a&filter[at][gte]=2026-02-01&filter[at][lt]=2026-03-01&order=asc"},
			"at from 2026-02-01T00:00Z until 2026-03-01T00:00Z", "2026-02-01T00:00:00Z 2026-02-28T23:59:59Z",
		},
		"a day in a zone": {
			"query_records", `{"stream":"orders","time_zone":"Europe/Berlin","filter":{"at":"2026-03-29"}}`,
			[]string{schema, "streams/orders/records?filter[at][gte]=2026-03-29T00:00:00+01:00&filter[at][lt]=2026-03-30T00:00:00+02:00"},
			"at from 2026-03-28T23:00Z until 2026-03-29T22:00Z, of Europe/Berlin", "2026-03-29T00:30:00Z",
		},
		"a time without an offset is of the zone": {
			"query_records", `{"stream":"orders","time_zone":"Europe/Berlin","filter":{"at":{"gte":"2026-03-29T01:30:00","lt":"2026-03-29 03:31"}}}`,
			[]string{schema, "streams/orders/records?filter[at][gte]=2026-03-29T01:30:00+01:00&filter[at][lt]=2026-03-29T03:31:00+02:00"},
			"at from 2026-03-29T00:30Z until 2026-03-29T01:31Z, of Europe/Berlin", "2026-03-29T00:30:00Z",
		},
		"a time without an offset is of UTC": {
			"query_records", `{"stream":"orders","filter":{"at":"2026-02-01T00:00"}}`,
			[]string{schema, "streams/orders/records?filter[at]=2026-02-01T00:00:00Z"}, "at is 2026-02-01T00:00Z", "2026-02-01T00:00:00Z",
		},
		"text keeps its times": {
			"query_records", `{"stream":"orders","filter":{"due":{"gte":"2026-03-01T00:00:00"}}}`,
			[]string{schema, "streams/orders/records?filter[due][gte]=2026-03-01T00:00:00"}, "", "2026-03-31T12:00:00Z 2026-03-29T00:30:00Z",
		},
		"text keeps its dates, and only at most and after become the next day": {
			"query_records", `{"stream":"orders","order":"asc","filter":{"due":{"gt":"2026-02-01","lte":"2026-03-01"}}}`,
			[]string{schema, "streams/orders/records?filter[due][gte]=2026-02-02&filter[due][lt]=2026-03-02&order=asc"},
			"due from 2026-02-02 until 2026-03-02", "2026-02-28T23:59:59Z 2026-03-01T00:00:00Z",
		},
		"a time is sent as it is, and no schema is read": {
			"query_records", `{"stream":"orders","filter":{"at":{"lte":"2026-02-01T00:00:00Z"},"status":"paid"}}`,
			[]string{"streams/orders/records?filter[at][lte]=2026-02-01T00:00:00Z&filter[status]=paid"}, "", "2026-02-01T00:00:00Z 2026-01-31T23:30:00Z",
		},
		"a search of one stream": {
			"search", `{"q":"paid","streams":["orders"],"time_zone":"Europe/Berlin","filter":{"at":{"lte":"2026-01-31"}}}`,
			[]string{"schema?view=compact", "search?filter[at][lt]=2026-02-01T00:00:00+01:00&q=paid&streams=orders",
				"streams/orders/aggregate?filter[at][lt]=2026-02-01T00:00:00+01:00&metric=count",
				"streams/orders/aggregate?field=at&metric=min", "streams/orders/aggregate?field=at&metric=max", "streams?", "streams/orders?"}, "at until 2026-01-31T23:00Z, of Europe/Berlin", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, data, reply := server.call(t, toolNamed(t, row.tool), row.arguments)
			if !slices.Equal(server.read, row.reads) {
				t.Errorf("read\n%s\nwant\n%s", strings.Join(server.read, "\n"), strings.Join(row.reads, "\n"))
			}
			if reply.Reads != len(row.reads) {
				t.Errorf("D28: %d reads are reported as %d", len(row.reads), reply.Reads)
			}
			printed := strings.Contains(text+"\n", "\ndates read as: "+row.readAs+"\n")
			if printed != (row.readAs != "") || row.readAs != "" && data.Get("read_as") != rs.EncodeJSON([]string{row.readAs}) {
				t.Errorf("%s says\n%s", data.Get("read_as"), text)
			}
			var ids []string
			for _, raw := range data.Array("data") {
				ids = append(ids, rs.AsObject(raw).Text("id"))
			}
			if got := strings.Join(ids, " "); got != row.ids {
				t.Errorf("found %s, want %s", got, row.ids)
			}
		})
	}
}

// since and until accept a time without an offset only if the call names a time zone.
func TestAPeriodInLocalTimes(t *testing.T) {
	server, tool := newShopServer(t), toolNamed(t, "search")
	local, _, _ := server.call(t, tool, `{"streams":["orders"],"time_zone":"Europe/Berlin","since":"2026-03-29T01:30:00","until":"2026-03-29 03:30"}`)
	exact, _, _ := server.call(t, tool, `{"streams":["orders"],"time_zone":"Europe/Berlin","since":"2026-03-29T00:30:00Z","until":"2026-03-29T01:30:00Z"}`)
	if !strings.Contains(local, "2026-03-29T00:30:00Z") && !strings.Contains(local, "2026-03-29 00:30") || strings.Count(local, "\n") != strings.Count(exact, "\n") {
		t.Errorf("local times give\n%s\ninstants give\n%s", local, exact)
	}
	if _, err := tool.Parse(json.RawMessage(`{"since":"2026-03-29T01:30:00"}`)); err == nil || rs.AsError(err).Param != "since" {
		t.Errorf("without a zone: %v", err)
	}
}

// withoutSchema is a resource server whose schema cannot be read.
type withoutSchema struct{ rs.Doer }

func (d withoutSchema) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	if r.Path == rs.Path("schema") {
		return nil, &rs.Error{Code: "server_unreachable", Status: 503}
	}
	return d.Doer.Do(ctx, r)
}

func TestDatesWithoutASchema(t *testing.T) {
	server, tool := newShopServer(t), toolNamed(t, "query_records")
	server.doer = withoutSchema{server.doer}
	text, _, reply := server.call(t, tool, `{"stream":"orders","order":"asc","time_zone":"Europe/Berlin","filter":{"at":{"gte":"2026-02-01","lte":"2026-02-28"}}}`)
	if want := "dates read as: at from 2026-02-01 until 2026-03-01, of no time zone: its type is not known"; !strings.Contains(text, want) || reply.Reads != 2 {
		t.Errorf("after %d reads: want %q in\n%s", reply.Reads, want, text)
	}
	if len(server.read) != 1 || !strings.HasPrefix(server.read[0], "streams/orders/records?filter[at][gte]=2026-02-01&filter[at][lt]=2026-03-01") {
		t.Error(server.read)
	}
}

// A call that is refused without a read is refused before the schema is read.
func TestARefusedCallDoesNotReadTheSchema(t *testing.T) {
	server := newShopServer(t)
	for _, call := range [][2]string{
		{"query_records", `{"stream":"orders","time_zone":"Mars/Olympus","filter":{"at":"2026-02-01"}}`},
		{"search", `{"q":"paid","streams":["orders"],"time_zone":"Local","filter":{"at":"2026-02-01"}}`},
	} {
		if _, err := toolNamed(t, call[0]).Parse(json.RawMessage(call[1])); err == nil || rs.AsError(err).Param != "time_zone" {
			t.Errorf("%s %s: %v", call[0], call[1], err)
		}
	}
	tool, arguments := toolNamed(t, "query_records"), json.RawMessage(`{"stream":"orders","filter":{"at":"2026-02-01"}}`)
	args, err := tool.Parse(arguments)
	if err != nil {
		t.Fatal(err)
	}
	refused := &rs.Error{Code: "ambiguous_connection", Message: "two"}
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Kind: auth.KindPackage, Package: refusingPackage{server.doer, refused}})
	_, err = tools.Forward(ctx, tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(string(arguments)), RS: server.doer, Args: args, Scope: rs.Scope{Stream: "orders"}})
	if !errors.Is(err, refused) || len(server.read) > 0 {
		t.Errorf("%v, after %q", err, server.read)
	}
}

// refusingPackage is a package that refuses to read any stream.
type refusingPackage struct {
	rs.Doer
	refused error
}

func (p refusingPackage) Choose(rs.Scope) error { return p.refused }
func (refusingPackage) Tokens() []rs.Token      { return nil }

func (refusingPackage) Granted() []rs.GrantedStream                      { return nil }
func (refusingPackage) Unavailable(...string) []rs.UnavailableConnection { return nil }
func (refusingPackage) Limits() []rs.TimeLimit                           { return nil }
