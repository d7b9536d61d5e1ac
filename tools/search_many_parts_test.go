package tools_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// newManyMails returns a server with 700 mails of which every tenth is from Ada, one a minute. The body of each has the same id and the
// word rent. If isOther, the body is that of another mail. Bodies carry no time.
func newManyMails(isOther bool) *middlewaretest.RS {
	const mails = 700
	page := func(r rs.Request, rows []string) *rs.Response {
		from, _ := strconv.Atoi(r.Query.Get("cursor"))
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		end := min(from+limit, len(rows))
		next := ""
		if end < len(rows) {
			next = fmt.Sprintf(`"next_cursor":"%d",`, end)
		}
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list",%s"has_more":%t,"data":[%s]}`, next, next != "", strings.Join(rows[from:end], ",")))
	}
	record := func(i int) string {
		body := i
		if isOther {
			body++
		}
		return fmt.Sprintf(`{"id":"%d","data":{"at":"2026-03-01T%02d:%02d:00Z","from":"x"},"expanded":{"body":{"id":"%d"}}}`, i, i/60, i%60, body)
	}
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		var rows []string
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(mailSchema), nil
		case strings.HasSuffix(r.Path, "/search") && !slices.Contains(r.Query["streams"], "bodies"):
			return page(r, nil), nil
		case strings.HasSuffix(r.Path, "/search"):
			for i := range mails {
				rows = append(rows, fmt.Sprintf(`{"stream":"bodies","record_key":"%d","connection_id":"c"}`, i))
			}
			return page(r, rows), nil
		case strings.HasSuffix(r.Path, "/messages/records"):
			for i := range mails {
				if id := r.Query.Get("filter[id]"); i%10 == 0 && (id == "" || id == strconv.Itoa(i)) {
					rows = append(rows, record(i))
				}
			}
			return page(r, rows), nil
		}
		i, err := strconv.Atoi(r.Path[strings.LastIndexByte(r.Path, '/')+1:])
		return middlewaretest.JSON(record(i)), err
	}}
}

// A search with a filter or a time finds the word in the bodies of all messages that match, although they come after hundreds of other
// hits and only some of the messages are read one by one.
func TestASearchFindsManyParts(t *testing.T) {
	for name, row := range map[string]struct {
		arguments string
		isOther   bool
		want      int
		says      string
	}{
		"within a filter": {`{"q":"rent","streams":["messages"],"filter":{"from":"Ada"},"limit":100}`, false, 50, "Only the first 500 hits in bodies were looked through."},
		"of a time":       {`{"q":"rent","streams":["messages"],"since":"2026-03-01","limit":100}`, false, 50, "Only the first 500 hits in bodies were looked through."},
		"whose ids are not those of their messages": {`{"q":"rent","streams":["messages"],"filter":{"from":"Ada"},"limit":100}`, true, 0,
			"Left out, because it is not known whether their records are within filter: 500."},
	} {
		t.Run(name, func(t *testing.T) {
			server := newManyMails(row.isOther)
			s, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, row.arguments)
			ids := map[string]bool{}
			for _, result := range s.Results {
				ids[result.ID] = true
			}
			if len(ids) != row.want || !strings.Contains(text, row.says) || strings.Contains(text, "raise limit") {
				t.Errorf("%d different hits, want %d, and %q in\n%s", len(ids), row.want, row.says, text)
			}
			if n := len(server.Requests()); n > 24 {
				t.Errorf("%d reads", n)
			}
		})
	}
}

// A source that lacks a field of the filter has no record within it: it did not fail, and the answer is complete.
func TestASourceWithoutAFieldOfTheFilterIsLeftOut(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"a","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","seen":"t=boolean,eq","body":"t=text,lex"}},` +
		`{"name":"b","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}}]}]}`
	for lacking, want := range map[string]string{
		"b":  "Left out, because they lack a field of filter: b.",
		"ab": "unknown_field",
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			stream := r.Query.Get("streams")
			switch {
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(schema), nil
			case strings.Contains(lacking, stream):
				return nil, &rs.Error{Code: "unknown_field", Status: 400, Param: "filter", Message: "Unknown field: seen"}
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt(stream, "1", "2026-03-05T00:00:00Z") + `],"meta":{"count":1,"recall":{"complete":true}}}`), nil
		}}
		tool := tools.PlainSearch("https://rs.example")
		call := tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(`{"q":"tax","since":"2026-03-01","filter":{"seen":true}}`), RS: server}
		var err error
		if call.Args, err = tool.Parse([]byte(call.Arguments.JSON())); err != nil {
			t.Fatal(err)
		}
		reply, err := tools.Forward(t.Context(), call)
		if err != nil {
			if got := string(rs.AsError(err).Code); got != want {
				t.Errorf("%s: %v, want %s", lacking, err, want)
			}
			continue
		}
		result, _ := tool.Render(reply.Call, reply.Answer)
		if !strings.Contains(result.Text, want) || strings.Contains(result.Text, "incomplete") || strings.Contains(result.Text, "sources were read") ||
			!strings.Contains(result.Text, "1 hit for") {
			t.Errorf("%s: want %q in\n%s", lacking, want, result.Text)
		}
	}
}

// Of hits with some of the words, those with more of them come first over all streams, and each stream keeps its order on all pages.
func TestHitsWithMoreWordsComeFirstInAPeriod(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"a","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}},` +
		`{"name":"b","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}}]}]}`
	words := map[string][]int{"a": {1, 1, 2, 1}, "b": {3, 2, 2, 1, 3}} // number of words of each hit
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		stream := r.Query.Get("streams")
		limit, err := strconv.Atoi(r.Query.Get("limit"))
		var hits []string
		for i, n := range words[stream] {
			matched := rs.EncodeJSON([]string{"x", "y", "z"}[:n])
			hits = append(hits, strings.Replace(hitAt(stream, fmt.Sprint(stream, i), "2026-03-05T00:00:00Z"), "{", `{"match":"some","matched_words":`+matched+`,`, 1))
		}
		shown := min(limit, len(hits))
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%v,"data":[%s]}`, shown < len(hits), strings.Join(hits[:shown], ","))), err
	}}
	for _, limit := range []int{1, 2, 3, 20} {
		var got []string
		for next := ""; len(got) == 0 || next != ""; {
			arguments := fmt.Sprintf(`{"q":"x y z v","since":"2026-03-01","limit":%d}`, limit)
			if next != "" {
				arguments = rs.AsObject(arguments).With("cursor", rs.EncodeJSON(next)).JSON()
			}
			s, _ := searchWith(t, tools.PlainSearch("https://rs.example"), server, arguments)
			for _, result := range s.Results {
				got = append(got, strings.TrimPrefix(result.ID, "c/"))
			}
			next = s.Data.NextCursor
		}
		if want := "b:b0 b:b1 b:b2 a:a0 a:a1 a:a2 a:a3 b:b3 b:b4"; strings.Join(got, " ") != want {
			t.Errorf("by %d: %s, want %s", limit, strings.Join(got, " "), want)
		}
	}
}
