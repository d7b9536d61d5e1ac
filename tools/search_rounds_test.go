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
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// manyStreams is a resource server with streams s00, s01, and so on. of returns the records of a stream: their words, by id, which begins with
// the date.
type manyStreams struct {
	streams     int
	of          func(stream int) map[string]string
	common      bool // a search of all streams finds nothing, since the word is common in them
	requiresAll bool // only records with all words are found, and the answer does not say so
	fails       func(r rs.Request) bool
}

func (m manyStreams) server() *middlewaretest.RS {
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		var rows []string
		switch {
		case m.fails != nil && m.fails(r):
			return nil, &rs.Error{Code: "upstream_error", Status: 503}
		case r.Path == "/v1/schema":
			for i := range m.streams {
				rows = append(rows, fmt.Sprintf(`{"name":"s%02d","field_capabilities":{"at":"t=date,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}}`, i))
			}
			return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
				strings.Join(rows, ",") + `]}]}`), nil
		case r.Path == "/v1/streams":
			return middlewaretest.JSON(`{"object":"list","data":[]}`), nil
		}
		for i := range m.streams {
			stream := fmt.Sprintf("s%02d", i)
			searched := strings.HasPrefix(r.Path, "/v1/search") && (len(r.Query["streams"]) == 0 || slices.Contains(r.Query["streams"], stream))
			if !searched && r.Path != "/v1/streams/"+stream+"/records" {
				continue
			}
			for id, words := range m.of(i) {
				switch at, _, _ := strings.Cut(id, "."); {
				case searched && !strings.Contains(words, r.Query.Get("q")), r.Query.Get("filter[at][gte]") > at,
					r.Query.Has("filter[at][lte]") && r.Query.Get("filter[at][lte]") < at:
				case searched:
					rows = append(rows, hitAt(stream, id, at))
				default:
					rows = append(rows, fmt.Sprintf(`{"object":"record","id":%q,"data":{"at":%q}}`, id, at))
				}
			}
		}
		slices.Sort(rows)
		slices.Reverse(rows)
		more := len(rows) > limit && limit > 0
		recall := `{"complete":true,"partial_count":0}`
		if m.common && len(r.Query["streams"]) != 1 {
			rows, recall = nil, `{"complete":true,"partial_count":0,"common_words":["tax"]}`
		}
		if m.requiresAll {
			recall = `{}`
		}
		if more {
			rows = rows[:limit]
		}
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%t,"data":[%s],"meta":{"recall":%s}}`, more, strings.Join(rows, ","), recall)), nil
	}}
}

// If a search of a period takes manyStreams reads, repairing it searches for each word once in all streams.
func TestARepairOfAPeriodInManyStreamsIsBounded(t *testing.T) {
	for _, streams := range []int{3, 9, 20} {
		server := manyStreams{streams: streams, requiresAll: true, of: func(stream int) map[string]string {
			return map[string]string{"2025-06-01.old": "dentist", "2026-03-0" + strconv.Itoa(1+stream%9) + ".a": "dentist"}
		}}.server()
		got, text := searchWith(t, tools.Search("https://rs.example"), server, `{"q":"dentist zebra","since":"2026-01-01"}`)
		if len(got.Results) != min(streams, 20) || got.Data.Repair == nil || strings.Contains(text, ".old") ||
			!strings.Contains(text, "No record has all of: dentist, zebra. These have some.") || !strings.Contains(text, "read as: from 2026-01-01T00:00Z on: at of s00, ") {
			t.Errorf("%d streams: %+v\n%s", streams, got, text)
		}
		if n := len(searches(server)); n > 25 { // and the hybrid search
			t.Errorf("%d streams: %d reads", streams, n)
		}
	}
}

// follow makes a search and follows its continuations, and returns the ids and the text of each page.
func follow(t *testing.T, server *middlewaretest.RS, arguments string) (ids, texts []string) {
	t.Helper()
	tool := tools.PlainSearch("https://rs.example")
	for sent := rs.AsObject(arguments); len(texts) < 40; {
		result := use(t, tool, server, []byte(sent.JSON()))
		o := rs.AsObject(result.Structured)
		for _, raw := range o.Array("results") {
			ids = append(ids, rs.AsObject(raw).Text("id"))
		}
		texts = append(texts, result.Text)
		next := o.Object("data").Text("next_cursor")
		if lead := o.Text("notice"); lead != "" && !strings.HasPrefix(result.Text, lead) {
			t.Errorf("the text does not begin with %q:\n%s", lead, result.Text)
		}
		if next == "" {
			return ids, texts
		}
		sent = sent.With("cursor", rs.EncodeJSON(next))
	}
	t.Fatalf("the pages of %s do not end:\n%s", arguments, texts[len(texts)-1])
	return nil, nil
}

func oneEach(i int) map[string]string {
	return map[string]string{fmt.Sprintf("2026-03-%02d.r", 1+i%28): "tax"}
}

// If a timeline has more sources than are read at once, the first page says of how manyStreams it is, and the continuation reads the rest. Each
// record is listed once.
func TestATimelineOfManySourcesIsComplete(t *testing.T) {
	for _, count := range []int{31, 32, 33, 64, 100} {
		for _, limit := range []int{5, 100} {
			server := manyStreams{streams: count, of: oneEach}.server()
			ids, texts := follow(t, server, fmt.Sprintf(`{"since":"2026-03-01","limit":%d}`, limit))
			if len(ids) != count || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != count {
				t.Errorf("%d of %d by %d", len(ids), count, limit)
			}
			const of = "32 of %d sources were read. The others: search {"
			if says := fmt.Sprintf(of, count); strings.HasPrefix(texts[0], says) != (count > 32) {
				t.Errorf("%d: %s", count, texts[0])
			}
			if strings.Contains(texts[0], "newest first of these sources") != (count > 32) {
				t.Errorf("%d: %s", count, texts[0])
			}
			if last := texts[len(texts)-1]; count > 32 && !strings.HasPrefix(last, fmt.Sprintf("%d more of %d sources were read.\n", (count-1)%32+1, count)) {
				t.Errorf("%d: %s", count, last)
			}
			if reads := len(server.Requests()); reads > (count/32+1+count/limit)*(32+3) {
				t.Errorf("D28: %d reads of %d sources", reads, count)
			}
		}
	}
}

// A search with words over more sources than are read at once takes one read if that returns all hits of any time.
func TestOnlyStreamsWithHitsAreReadForAPeriod(t *testing.T) {
	only := func(at ...int) func(int) map[string]string {
		return func(i int) map[string]string {
			if slices.Contains(at, i) {
				return map[string]string{"2026-03-05.r": "tax", "2025-03-05.r": "tax"}
			}
			return map[string]string{"2026-03-05.r": "rent"}
		}
	}
	for name, row := range map[string]struct {
		server manyStreams
		says   string
		reads  int
	}{
		"in two of them":      {manyStreams{streams: 90, of: only(40, 80)}, "2 hits for \"tax\"", 2},
		"in none":             {manyStreams{streams: 90, of: only()}, "0 hits for \"tax\" since 2026-03-01. Try other words", 2 + 1},
		"common in all":       {manyStreams{streams: 40, of: only(39), common: true}, "32 of 40 sources were read. The others: search {", 2 + 32},
		"in more than a page": {manyStreams{streams: 90, of: only(seq(60)...)}, "32 of 90 sources were read. The others: search {", 2 + 32},
		"which is not known": {manyStreams{streams: 40, of: only(39), fails: func(r rs.Request) bool {
			return strings.HasPrefix(r.Path, "/v1/search") && len(r.Query["streams"]) != 1
		}}, "32 of 40 sources were read. The others: search {", 2 + 32},
	} {
		t.Run(name, func(t *testing.T) {
			server := row.server.server()
			result := use(t, tools.PlainSearch("https://rs.example"), server, []byte(`{"q":"tax","since":"2026-03-01"}`))
			if reads := len(server.Requests()); reads > row.reads || !strings.Contains(result.Text, row.says) {
				t.Errorf("%d reads, want at most %d:\n%s", reads, row.reads, result.Text)
			}
			if strings.Contains(result.Text, "0 hits") && strings.Contains(result.Text, "The others") == strings.Contains(result.Text, "Try ") {
				t.Error(result.Text)
			}
			want := 0
			for i := range row.server.streams {
				if strings.Contains(fmt.Sprint(row.server.of(i)), "tax") {
					want++
				}
			}
			ids, _ := follow(t, row.server.server(), `{"q":"tax","since":"2026-03-01","limit":10}`)
			if len(slices.Compact(slices.Sorted(slices.Values(ids)))) != want || len(ids) != want {
				t.Errorf("%d of %d: %q", len(ids), want, ids)
			}
		})
	}
}

func seq(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// A source that could not be read is counted, and the number of hits in the others is not given as the total.
func TestASourceThatFailsIsCounted(t *testing.T) {
	for arguments, says := range map[string]string{
		`{"since":"2026-03-01"}`:            "2 records, newest first of these sources",
		`{"q":"tax","since":"2026-03-01"}`:  `2 hits for "tax"`,
		`{"q":"rent","since":"2026-03-01"}`: `0 hits for "rent" since 2026-03-01 where 2 of 3 sources were read.`,
	} {
		fails := func(r rs.Request) bool {
			return strings.Contains(r.Path, "/s01/") || slices.Contains(r.Query["streams"], "s01")
		}
		result := use(t, tools.PlainSearch("https://rs.example"), manyStreams{streams: 3, of: oneEach, fails: fails}.server(), []byte(arguments))
		for channel, text := range map[string]string{"text": result.Text, "structured": strings.TrimPrefix(result.Structured, `{"notice":"`)} {
			if !strings.HasPrefix(text, "2 of 3 sources were read.") {
				t.Errorf("%s %s: %s", arguments, channel, text)
			}
		}
		if !strings.Contains(result.Text, says) || !strings.Contains(result.Text, "Could not be read: s01") {
			t.Errorf("%s: %s; want %q", arguments, result.Text, says)
		}
	}
}

// A cursor over several sources is refused if the sources have changed.
func TestACursorOfOtherSourcesIsRefused(t *testing.T) {
	server, tool := manyStreams{streams: 70, of: oneEach}.server(), tools.PlainSearch("https://rs.example")
	o := rs.AsObject(use(t, tool, server, []byte(`{"since":"2026-03-01"}`)).Structured)
	next := rs.Object{rs.NewMember("since", "2026-03-01")}.With("cursor", o.Object("data").Object("meta").Object("sources").Get("rest_cursor")).JSON()
	use(t, tool, server, []byte(next))
	server = manyStreams{streams: 69, of: oneEach}.server()
	args, err := tool.Parse([]byte(next))
	if err == nil {
		_, err = tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(next), RS: server, Args: args})
	}
	if rs.AsError(err).Code != "invalid_cursor" {
		t.Error(err)
	}
}

// A package of manyStreams grants is also read in rounds, and a member that fails while the sources with hits are determined leaves nothing out.
func TestAPackageOfManyGrantsIsReadInRounds(t *testing.T) {
	const count = 40
	for _, fails := range []bool{false, true} {
		m := &members{servers: map[string]*middlewaretest.RS{}}
		var all []fanout.Member
		for i := range count {
			token, connection := fmt.Sprint("tok_", i), fmt.Sprintf("c%02d", i)
			one := manyStreams{streams: 1, of: func(int) map[string]string {
				return map[string]string{"2026-03-05.r": map[bool]string{true: "tax", false: "rent"}[i == count-1]}
			}, fails: func(r rs.Request) bool { return fails && i == 3 && strings.HasPrefix(r.Path, "/v1/search") }}.server()
			answer := one.Answer
			one.Answer = func(r rs.Request) (*rs.Response, error) {
				response, err := answer(r)
				if err == nil {
					response = middlewaretest.JSON(strings.ReplaceAll(response.Body, `"connection_id":"c"`, `"connection_id":"`+connection+`"`))
				}
				return response, err
			}
			m.servers[token] = one
			all = append(all, fanout.Member{
				Connection: rs.Connection{GrantID: "g" + token, ConnectorKey: "k", ID: connection, DisplayName: connection},
				Streams:    []string{"s00"}, Token: rs.NewToken(token),
			})
		}
		members := fanout.Membership{PackageID: "pkg", Members: all}
		p := fanout.NewPackage(members, func(t rs.Token) rs.Doer { return memberReader{m, t.Reveal()} }, fanout.PackageOptions{})
		tool := tools.PlainSearch("https://rs.example")
		first := use(t, tool, p, []byte(`{"q":"tax","since":"2026-03-01"}`))
		if m.reads > count+count+32 {
			t.Errorf("D28: %d reads", m.reads)
		}
		words := first.Text
		if next := rs.AsObject(first.Structured).Object("data").Get("next_cursor"); fails && next != "" {
			words += use(t, tool, p, []byte(rs.AsObject(`{"q":"tax","since":"2026-03-01"}`).With("cursor", next).JSON())).Text
		}
		if !strings.Contains(words, "1 hit") || !strings.Contains(words, "c39/s00:2026-03-05.r") || strings.Contains(words, "sources were read.") != fails {
			t.Errorf("fails: %v:\n%s", fails, words)
		}
		sent, seen := rs.AsObject(`{"since":"2026-03-01","limit":50}`), 0
		for range 3 {
			o := rs.AsObject(use(t, tool, p, []byte(sent.JSON())).Structured)
			seen += len(o.Array("results"))
			if !strings.Contains(o.Text("notice"), " of 40 sources were read.") {
				t.Errorf("notice %q", o.Text("notice"))
			}
			next := o.Object("data").Get("next_cursor")
			if next == "" {
				break
			}
			sent = sent.With("cursor", next)
		}
		if seen != count {
			t.Errorf("%d of %d records", seen, count)
		}
	}
}
