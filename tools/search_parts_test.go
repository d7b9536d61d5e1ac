package tools_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// mails has the sender and body of each message. One body belongs to a message with a different id.
var mails = map[string][2]string{
	"1": {"Ada", "they pay within thirty days"}, "2": {"Ada", "lunch"}, "3": {"Bo", "thirty days of rain"}, "4": {"Ada", "after thirty days"},
}

const mailSchema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
	`{"name":"messages","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","from":"t=string,eq","id":"t=string,eq"},` +
	`"expand_capabilities":[{"name":"body","target_stream":"bodies","cardinality":"has_one"},` +
	`{"name":"files","target_stream":"files","cardinality":"has_many"},{"name":"flags","target_stream":"flags","cardinality":"has_one"}]},` +
	`{"name":"bodies","field_capabilities":{"text":"t=text,lex"}},{"name":"files","field_capabilities":{"name":"t=text,lex"}},` +
	`{"name":"flags","field_capabilities":{"seen":"t=boolean,eq"}}]}]}`

func newMailServer() *middlewaretest.RS {
	hit := func(stream, id string) string {
		return fmt.Sprintf(`{"stream":%q,"record_key":%q,"connection_id":"c"}`, stream, id)
	}
	record := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"data":{"from":%q},"expanded":{"body":{"id":%q}}}`, id, mails[id][0], id)
	}
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		var found []string
		list := func() (*rs.Response, error) {
			return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":false,"data":[%s]}`, strings.Join(found, ","))), nil
		}
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(mailSchema), nil
		case strings.HasSuffix(r.Path, "/search"):
			streams := r.Query["streams"]
			if len(streams) > 1 && r.Query.Has("filter[from]") {
				return nil, &rs.Error{Code: "invalid_request", Status: 400, Message: "filter[...] requires exactly one stream in streams"}
			}
			for _, id := range []string{"1", "2", "3", "4"} {
				if slices.Contains(streams, "bodies") && strings.Contains(mails[id][1], r.Query.Get("q")) {
					found = append(found, hit("bodies", id))
				}
			}
			return list()
		case strings.HasSuffix(r.Path, "/messages/records"):
			for _, id := range []string{"1", "2", "3", "4"} {
				if from := r.Query.Get("filter[from]"); (from == "" || from == mails[id][0]) && (!r.Query.Has("filter[id]") || r.Query.Get("filter[id]") == id) {
					found = append(found, record(id))
				}
			}
			return list()
		}
		id, _ := url.PathUnescape(r.Path[strings.LastIndexByte(r.Path, '/')+1:])
		return middlewaretest.JSON(record(id)), nil
	}}
}

// A search of messages also searches their bodies; with a filter, only the bodies of matching messages.
func TestASearchOfMessagesIncludesTheirBodies(t *testing.T) {
	for arguments, want := range map[string][]string{
		`{"q":"thirty days","streams":["messages"]}`:                                     {"c/bodies:1", "c/bodies:3", "c/bodies:4"},
		`{"q":"thirty days","streams":["messages"],"filter":{"from":"Ada"}}`:             {"c/bodies:1", "c/bodies:4"},
		`{"q":"thirty days","streams":["messages"],"filter":{"from":"Bo"}}`:              {"c/bodies:3"},
		`{"q":"thirty days","streams":["messages"],"filter":{"from":"Cem"}}`:             nil,
		`{"q":"rain","streams":["messages"],"filter":{"from":"Ada"}}`:                    nil,
		`{"q":"rain","streams":["files"]}`:                                               nil,
		`{"q":"thirty days","streams":["messages"],"filter":{"from":"Ada"},"limit":100}`: {"c/bodies:1", "c/bodies:4"},
	} {
		s, text := searchWith(t, tools.Search("https://rs.example"), newMailServer(), arguments)
		var ids []string
		for _, result := range s.Results {
			ids = append(ids, result.ID)
		}
		says := "searched too, as parts of these records: bodies\n"
		if !slices.Equal(ids, want) || strings.Contains(arguments, "messages") != strings.Contains(text+"\n", says) || strings.Contains(text, "not known") {
			t.Errorf("%s finds %q:\n%s", arguments, ids, text)
		}
	}
}

// Every named stream is searched, even if an earlier one lacks a field of the filter. If none has it, the call is refused.
func TestAFilterIsAppliedToEachNamedStream(t *testing.T) {
	server := newMailServer()
	searchWith(t, tools.Search("https://rs.example"), server, `{"q":"rain","streams":["messages","files"],"filter":{"from":"Ada"}}`)
	var asked []string
	for _, r := range server.Requests() {
		if r.Query.Get("filter[from]") != "" && strings.HasSuffix(r.Path, "/search") {
			asked = append(asked, r.Query["streams"]...)
		}
	}
	slices.Sort(asked)
	if want := []string{"files", "messages"}; !slices.Equal(asked, want) {
		t.Errorf("searched are %q, want %q", asked, want)
	}
}

// The pages of such a search together have all hits, and the resource server's cursor continues where it was printed.
func TestPagesOfASearchWithParts(t *testing.T) {
	tool, server := tools.Search("https://rs.example"), newMailServer()
	s, _ := searchWith(t, tool, server, `{"q":"thirty days","streams":["messages"],"filter":{"from":"Ada"},"limit":1}`)
	if len(s.Results) != 1 || s.Data.NextCursor == "" {
		t.Fatalf("the first page is %+v", s)
	}
	s, _ = searchWith(t, tool, server, fmt.Sprintf(`{"q":"thirty days","streams":["messages"],"filter":{"from":"Ada"},"limit":1,"cursor":%q}`, s.Data.NextCursor))
	if len(s.Results) != 1 || s.Results[0].ID != "c/bodies:4" || s.Data.NextCursor != "" {
		t.Errorf("the second page is %+v", s)
	}
	read := len(server.Requests())
	searchWith(t, tool, server, `{"q":"thirty days","streams":["messages"],"filter":{"from":"Ada"},"cursor":"of-the-server"}`)
	if last := server.Requests()[read:]; len(last) != 1 || last[0].Query.Get("cursor") != "of-the-server" || !slices.Equal(last[0].Query["streams"], []string{"messages"}) {
		t.Errorf("another cursor is read as %+v", last)
	}
}

// A search of a time in the parts alone finds those of the records of that time, as one of all streams does.
func TestASearchOfPartsAloneHasTheTimesOfTheirRecords(t *testing.T) {
	times := map[string]string{"1": "2026-03-05T00:00:00Z", "2": "2026-03-06T00:00:00Z", "3": "2026-05-01T00:00:00Z", "4": "2026-03-20T00:00:00Z"}
	plain := newMailServer()
	record := func(id string) string {
		return fmt.Sprintf(`{"id":%q,"data":{"from":%q,"at":%q},"expanded":{"body":{"id":%q}}}`, id, mails[id][0], times[id], id)
	}
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if _, id, of := strings.Cut(r.Path, "/messages/records/"); of {
			return middlewaretest.JSON(record(id)), nil
		} else if strings.HasSuffix(r.Path, "/messages/records") {
			return middlewaretest.JSON(`{"object":"list","has_more":false,"data":[` + record("1") + "," + record("2") + "," + record("4") + `]}`), nil
		}
		return plain.Answer(r)
	}}
	for _, streams := range []string{`,"streams":["bodies"]`, `,"streams":["bodies","files"]`, `,"streams":["messages"]`, ""} {
		s, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"thirty days","since":"2026-03-01","until":"2026-03-31"`+streams+`}`)
		var ids []string
		for _, result := range s.Results {
			ids = append(ids, result.ID)
		}
		slices.Sort(ids)
		if want := []string{"c/bodies:1", "c/bodies:4"}; !slices.Equal(ids, want) || strings.Contains(text, "no time of their own") {
			t.Errorf("%s finds %q, want %q:\n%s", streams, ids, want, text)
		}
	}
}
