package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// The newest message of one chat need not be the newest of a person: a question about a sender is offered a call for each stream in which
// somebody has that name.
func TestAQueryAboutASenderInSeveralStreams(t *testing.T) {
	chat := `"field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","by":"t=text,role=actor,lex,eq,a=group_by","text":"t=text,lex"}}`
	schemaOf := func(more int) string {
		streams := `{"name":"alpha",` + chat + `,{"name":"beta",` + chat + `,{"name":"gamma",` + chat
		for i := range more {
			streams += fmt.Sprintf(`,{"name":"more%d",%s`, i, chat)
		}
		return `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[` + streams + `]}]}`
	}
	mails := `,{"name":"messages",` + chat
	const newest, anna = `query_records {"stream":"%s","connection_id":"c","limit":1,"filter":{"by":"%s"}}`, `The newest of "Anna": `
	failing := ""
	ask := func(arguments string, more int) string {
		schema := schemaOf(more)
		if more == 0 {
			schema = strings.Replace(schema, `,{"name":"gamma"`, mails+`,{"name":"gamma"`, 1)
		}
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case r.Query.Get("group_by") == "by" && failing != "" && strings.Contains(r.Path, failing):
				return nil, &rs.Error{Code: "server_unreachable", Status: 503}
			case r.Query.Get("group_by") == "by" && strings.Contains(r.Path, "/beta/"):
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Anna Berg","count":4}]}`), nil
			case r.Query.Get("group_by") == "by" && !strings.Contains(r.Path, "/alpha/"):
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Otto","count":4}]}`), nil
			case r.Query.Get("group_by") == "by":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Anna","count":4},{"key":"Otto","count":4}]}`), nil
			case r.Query.Get("q") == "tent" && strings.Contains(fmt.Sprint(r.Query["streams"]), "beta"):
				return middlewaretest.JSON(`{"object":"list","data":[` + strings.Replace(hitAt("beta", "2", ""), `{`, `{"actor":"Anna Berg",`, 1) + `],"meta":{"count":1}}`), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + strings.Replace(hitAt("alpha", "1", ""), `{`, `{"actor":"Anna",`, 1) + `],"meta":{"count":7}}`), nil
		}}
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, arguments)
		return text
	}
	both := anna + fmt.Sprintf(newest, "alpha", "Anna") + `. Also: The newest of "Anna Berg": ` + fmt.Sprintf(newest, "beta", "Anna Berg")
	for _, row := range []struct {
		arguments, want string
		more            int
	}{
		{`{"q":"When did I last hear from Anna?"}`, both + "\n", 0},
		{`{"q":"When did I last hear from Anna?"}`, both + ". Streams whose senders were not read: 3\n", 9},
		{`{"q":"latest message from Anna"}`, both + "\n", 0},
		{`{"q":"Who wrote to me most?"}`, `By by, the owner's own included: aggregate {"stream":"messages","metric":"count","group_by":"by"}. ` +
			"Left out are the senders of alpha, beta, gamma\n", 0},
		{`{"q":"When did I last hear from Anna?","streams":["alpha"]}`, anna + fmt.Sprintf(newest, "alpha", "Anna") + "\n", 0},
		{`{"q":"What did Anna say about the tent?"}`, `Of "Anna" alone: search {"q":"tent","streams":["alpha"],"connection_id":"c","filter":{"by":"Anna"}}` +
			`. Also: Of "Anna Berg" alone: search {"q":"tent","streams":["beta"],"connection_id":"c","filter":{"by":"Anna Berg"}}` + "\n", 0},
	} {
		if got := ask(row.arguments, row.more); !strings.Contains(got, row.want) {
			t.Errorf("%s: want %s in\n%s", row.arguments, row.want, got)
		}
	}
	failing = "/beta/"
	want := anna + fmt.Sprintf(newest, "alpha", "Anna") + ". Streams whose senders were not read: 1\n"
	if got := ask(`{"q":"When did I last hear from Anna?"}`, 0); !strings.Contains(got, want) {
		t.Errorf("want %s in\n%s", want, got)
	}
}
