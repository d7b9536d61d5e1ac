package tools_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A search without words lists everything in a period, newest first, over all streams and connections. Each record is listed once, at any
// limit.
func TestATimelineIsComplete(t *testing.T) {
	for _, limit := range []int{1, 7, 50, 100} {
		server, tool := newShopServer(t), tools.Search("https://rs.example")
		var ids, times []string
		cursor, reads := "", 4 // the schema, and three pairs of stream and connection
		for page := 0; page == 0 || cursor != ""; page++ {
			arguments := fmt.Sprintf(`{"since":"2026-01-30","until":"2026-03-31","limit":%d,"cursor":%q}`, limit, cursor)
			if cursor == "" {
				arguments = fmt.Sprintf(`{"since":"2026-01-30","until":"2026-03-31","limit":%d}`, limit)
			}
			_, data, reply := server.call(t, tool, arguments)
			result, _ := tool.Render(reply.Call, reply.Answer)
			for _, raw := range rs.AsObject(result.Structured).Array("results") {
				ids, times = append(ids, rs.AsObject(raw).Text("id")), append(times, rs.AsObject(raw).Text("authored_at"))
			}
			if cursor = data.Text("next_cursor"); len(server.read) != reads || reply.Reads != reads {
				t.Fatalf("D28: %q are reported as %d reads", server.read, reply.Reads)
			}
			reads = 3
			if want := "from 2026-01-30T00:00Z until 2026-04-01T00:00Z: at of orders, at of log"; data.Array("read_as")[0] != rs.EncodeJSON(want) {
				t.Errorf("read as %s; want %q", data.Get("read_as"), want)
			}
		}
		const days, orders = 61, 6
		sorted := slices.Sorted(slices.Values(ids))
		if len(ids) != days+orders || len(slices.Compact(sorted)) != days+orders {
			t.Errorf("by %d, %d records are listed: %q", limit, len(ids), ids)
		}
		if !slices.IsSortedFunc(times, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("by %d, they are not newest first: %q", limit, times)
		}
	}
}

// D35: a timeline does not announce what was cancelled, whichever resource server lists it.
func TestATimelineNamesWhatIsCancelled(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"events","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","summary":"t=string,role=primary-title","status":"t=string"}}]}]}`
	var asked []string
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		asked = r.Query["fields"]
		var rows []string
		for id, status := range []string{`"CANCELLED"`, `"canceled"`, `"confirmed"`, "null"} {
			rows = append(rows, fmt.Sprintf(`{"object":"record","id":"%d","stream":"events","data":{"at":"2026-03-01T10:0%d:00Z","summary":"Board %d","status":%s}}`, id, id, id, status))
		}
		return middlewaretest.JSON(`{"object":"list","has_more":false,"data":[` + strings.Join(rows, ",") + `]}`), nil
	}}
	result := use(t, tools.Search("https://rs.example"), server, json.RawMessage(`{"since":"2026-03-01","until":"2026-03-01"}`))
	var titles []string
	for _, raw := range rs.AsObject(result.Structured).Array("results") {
		titles = append(titles, rs.AsObject(raw).Text("title"))
	}
	want := []string{"Board 3", "Board 2", "Cancelled: Board 1", "Cancelled: Board 0"}
	if !slices.Equal(titles, want) || !slices.Contains(asked, "status") || !strings.Contains(result.Text, want[3]) {
		t.Errorf("asked for %q, titles are %q in\n%s", asked, titles, result.Text)
	}
}

// Records of several streams with the same time, such as a thread and its last message, are each listed once, wherever a page ends.
func TestATimelineWithEqualTimes(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"a","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt"}},` +
		`{"name":"b","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt"}},` +
		`{"name":"e","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt"}}]}]}`
	minutes := map[string][]int{"a": {30, 29, 28, 27, 20, 20, 11, 9}, "b": {29, 27, 20, 11, 11, 9, 3}, "e": {27, 20, 9, 9, 9, 3}}
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		stream := strings.Split(r.Path, "/")[3]
		limit, err := strconv.Atoi(r.Query.Get("limit"))
		if err != nil {
			return nil, err
		}
		until := r.Query.Get("filter[at][lte]")
		var rows []string
		for i, minute := range minutes[stream] {
			if at := fmt.Sprintf("2026-03-01T10:%02d:00Z", minute); (until == "" || at <= until) && len(rows) < limit {
				rows = append(rows, fmt.Sprintf(`{"object":"record","id":"%d","stream":%q,"data":{"at":%q}}`, i, stream, at))
			}
		}
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%v,"data":[%s]}`, len(rows) == limit, strings.Join(rows, ","))), nil
	}}
	for _, limit := range []int{1, 2, 3, 5, 8, 21} {
		var seen []string
		cursor := ""
		for page := 0; page < 30 && (page == 0 || cursor != ""); page++ {
			arguments := fmt.Sprintf(`{"since":"2026-03-01","limit":%d`, limit)
			if cursor != "" {
				arguments += `,"cursor":` + rs.EncodeJSON(cursor)
			}
			o := rs.AsObject(use(t, tools.Search("https://rs.example"), server, []byte(arguments+"}")).Structured)
			for _, raw := range o.Array("results") {
				seen = append(seen, rs.AsObject(raw).Text("id"))
			}
			cursor = o.Object("data").Text("next_cursor")
		}
		different := slices.Compact(slices.Sorted(slices.Values(seen)))
		if len(seen) != 21 || len(different) != 21 {
			t.Errorf("by %d, %d records are listed, %d different ones: %q", limit, len(seen), len(different), seen)
		}
	}
}

// A cursor is only valid for the search that printed it, but accepts another limit.
func TestACursorOfAnotherPeriodIsRefused(t *testing.T) {
	server, tool := newShopServer(t), tools.Search("https://rs.example")
	_, data, _ := server.call(t, tool, `{"since":"2026-01-30","limit":2}`)
	printed := data.Text("next_cursor")
	parts := strings.SplitN(printed, ".", 4)
	edited := parts[0] + ".1-40." + parts[2] + "."
	for other, want := range map[string]rs.Code{
		`{"since":"2026-01-30","cursor":"` + edited + `"}`: "invalid_cursor", // a position after the last source
		`{"since":"2026-01-30"}`:                           "",
		`{"since":"2026-01-31"}`:                           "invalid_cursor",
		`{"since":"2026-01-30","until":"2026-03-31"}`:      "invalid_cursor",
		`{"since":"2026-01-30","streams":["orders"]}`:      "invalid_cursor",
		`{"q":"rent","since":"2026-01-30"}`:                "invalid_cursor",
	} {
		raw := rs.AsObject(other).With("limit", "3").With("cursor", rs.EncodeJSON(cmp.Or(rs.AsObject(other).Text("cursor"), printed))).JSON()
		args, err := tool.Parse([]byte(raw))
		if err == nil {
			_, err = tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(raw), RS: server.doer, Args: args})
		}
		if got := rs.AsError(err); err != nil && got.Code != want || err == nil && want != "" {
			t.Errorf("%s: %v; want %q", other, err, want)
		}
	}
}

// dated is a resource server with one stream with times and one without. answer answers its searches and lists.
func dated(answer func(r rs.Request) (*rs.Response, error)) *middlewaretest.RS {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"s","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}},` +
		`{"name":"parts","field_capabilities":{"text":"t=text,lex"}}]}]}`
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		return answer(r)
	}}
}

// A timeline of records with dates only is complete in a zone west of UTC, where the day begins on the previous day in UTC.
func TestATimelineOfDatesWestOfUTC(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"days","field_capabilities":{"on":"t=date,role=event-time,eq,r=gte|gt|lte|lt","title":"t=string,role=primary-title"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		limit, err := strconv.Atoi(r.Query.Get("limit"))
		if err != nil {
			return nil, err
		}
		var rows []string
		for i := 39; i >= 0; i-- {
			on := fmt.Sprintf("2026-03-%02d", i/2+1)
			if on >= r.Query.Get("filter[on][gte]") && on <= r.Query.Get("filter[on][lte]") && len(rows) < limit {
				rows = append(rows, fmt.Sprintf(`{"object":"record","id":"d%02d","stream":"days","data":{"on":%q,"title":"day"}}`, i, on))
			}
		}
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%v,"data":[%s]}`, len(rows) == limit, strings.Join(rows, ","))), nil
	}}
	tool := tools.Search("https://rs.example")
	seen, cursor := map[string]bool{}, ""
	for page := 0; page < 30 && (page == 0 || cursor != ""); page++ {
		arguments := `{"since":"2026-03-01","until":"2026-03-20","time_zone":"America/New_York","limit":3`
		if cursor != "" {
			arguments += `,"cursor":` + rs.EncodeJSON(cursor)
		}
		o := rs.AsObject(use(t, tool, server, []byte(arguments+"}")).Structured)
		for _, raw := range o.Array("results") {
			id := rs.AsObject(raw).Text("id")
			if seen[id] {
				t.Errorf("%s occurs twice", id)
			}
			seen[id] = true
		}
		cursor = o.Object("data").Text("next_cursor")
	}
	if len(seen) != 40 {
		t.Errorf("%d of 40 records are listed", len(seen))
	}
}

// The cursor counts positions in the merged list of all sources. If a source could not be read, there is no cursor, since the next page
// may include that source.
func TestAFailedSourceEndsTheCursor(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"a","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}},` +
		`{"name":"b","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}}]}]}`
	for _, fails := range []bool{true, false} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			stream := r.Query.Get("streams")
			switch {
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(schema), nil
			case stream == "b" && fails:
				return nil, &rs.Error{Code: "upstream_error", Status: 503}
			}
			var rows []string
			for n := range 6 {
				rows = append(rows, hitAt(stream, fmt.Sprint(stream, n), "2026-03-05T00:00:00Z"))
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + strings.Join(rows, ",") + `]}`), nil
		}}
		result := use(t, tools.Search("https://rs.example"), server, []byte(`{"q":"tax","since":"2026-03-01","limit":4}`))
		data := rs.AsObject(result.Structured).Object("data")
		if !data.Flag("has_more") || data.Has("next_cursor") == fails || strings.Contains(result.Text, "Could not be read") != fails {
			t.Errorf("fails: %v\n%s\n%s", fails, result.Text, result.Structured)
		}
	}
}

// Hits that match all words come first over all sources and pages. Hits of merely similar words are only shown if no source has any of
// the words.
func TestHitsWithAllWordsComeFirstInAPeriod(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"a","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}},` +
		`{"name":"b","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}}]}]}`
	for name, row := range map[string]struct {
		matches map[string]string // by stream; one letter for each hit
		want    string
	}{
		"all words, then some, and no similar ones": {map[string]string{"a": "ssn", "b": "aasnn"}, "b0 b1 a0 a1 b2"},
		"some words, and no similar ones":           {map[string]string{"a": "nn", "b": "sn"}, "b0"},
		"only similar words":                        {map[string]string{"a": "nn", "b": "n"}, "a0 b0 a1"},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				if r.Path == "/v1/schema" {
					return middlewaretest.JSON(schema), nil
				}
				stream, limit := r.Query.Get("streams"), 0
				_, _ = fmt.Sscan(r.Query.Get("limit"), &limit)
				var hits []string
				for n, match := range row.matches[stream] {
					word := map[rune]string{'a': "all", 's': "some", 'n': "nearest"}[match]
					hits = append(hits, strings.Replace(hitAt(stream, fmt.Sprint(stream, n), "2026-03-05T00:00:00Z"), "{", `{"match":"`+word+`",`, 1))
				}
				shown := min(limit, len(hits))
				return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%v,"data":[%s]}`, shown < len(hits), strings.Join(hits[:shown], ","))), nil
			}}
			var got []string
			arguments := `{"q":"tax","since":"2026-03-01","limit":2}`
			for range 5 {
				o := rs.AsObject(use(t, tools.Search("https://rs.example"), server, []byte(arguments)).Structured)
				for _, raw := range o.Array("results") {
					_, key, _ := strings.Cut(rs.AsObject(raw).Text("id"), ":")
					got = append(got, key)
				}
				next := o.Object("data").Text("next_cursor")
				if next == "" {
					break
				}
				arguments = `{"q":"tax","since":"2026-03-01","limit":2,"cursor":` + rs.EncodeJSON(next) + `}`
			}
			if strings.Join(got, " ") != row.want {
				t.Errorf("got %v, want %s", got, row.want)
			}
		})
	}
}

func hitAt(stream, key, at string) string {
	return fmt.Sprintf(`{"stream":%q,"record_key":%q,"connection_id":"c","authored_at":%q}`, stream, key, at)
}

// A word that occurs only in parts of records, such as message bodies, is not reported as missing, and matches of parts in the period are
// counted.
func TestAWordInAPartIsNotMissing(t *testing.T) {
	const everyWord, oneWord = `"match":"all"`, `"match":"some","matched_words":["rent"]`
	for name, row := range map[string]struct {
		at, match string
		more      bool
		meta      string
		says      string
	}{
		"in the period":            {"2026-03-05T00:00:00Z", everyWord, false, `{"warnings":[],"count":1,"recall":{"complete":true,"partial_count":0}}`, "1 hit for"},
		"with some of the words":   {"2026-03-05T00:00:00Z", oneWord, false, `{"warnings":[],"count":0,"recall":{"complete":true,"partial_count":1,"missing_words":["due"]}}`, `"due" occurs nowhere`},
		"of another time":          {"2026-05-05T00:00:00Z", everyWord, false, `{"warnings":[],"count":0,"recall":{"complete":true,"partial_count":0,"missing_words":["rent","due"]}}`, `"rent", "due" occur nowhere`},
		"of which not all is read": {"2026-05-05T00:00:00Z", everyWord, true, `"recall":{"complete":false,"partial_count":0}}`, "0 hits for"},
		"of unknown time":          {"", everyWord, false, `"recall":{"complete":false,"partial_count":0}}`, "A search without since and until has them: parts."},
	} {
		t.Run(name, func(t *testing.T) {
			server := dated(func(r rs.Request) (*rs.Response, error) {
				if !slices.Contains(r.Query["streams"], "parts") {
					return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":{"complete":true,"partial_count":0,"missing_words":["rent","due"]}}}`), nil
				}
				hit := strings.Replace(hitAt("parts", "p1", row.at), "{", "{"+row.match+",", 1)
				return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%t,"data":[%s],"meta":{"count":9,"recall":{"complete":true,"partial_count":0}}}`, row.more, hit)), nil
			})
			tool := tools.Search("https://rs.example")
			result := use(t, tool, server, []byte(`{"q":"rent due","since":"2026-03-01","until":"2026-03-31"}`))
			meta := rs.AsObject(result.Structured).Object("data").Get("meta")
			if !strings.HasSuffix(meta, row.meta) || !strings.Contains(result.Text, row.says) {
				t.Errorf("want %q in\n%s\n%s", row.says, meta, result.Text)
			}
		})
	}
}

// If a resource server refuses time filters, unfiltered hits are checked instead and the answer says so. The filter is not tried again.
func TestAPeriodIfFiltersAreRefused(t *testing.T) {
	server := dated(func(r rs.Request) (*rs.Response, error) {
		if hasFilter(r.Query) {
			return nil, &rs.Error{Code: "invalid_request", Status: 400, Param: "filter", Message: "filter[...] is not supported for client-token reads", Quoted: true}
		}
		if slices.Contains(r.Query["streams"], "parts") {
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("parts", "p1", "") + `,` + hitAt("parts", "p2", "2026-03-05T00:00:00Z") + `]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("s", "new", "2026-05-01T00:00:00Z") + `,` + hitAt("s", "in", "2026-03-31T23:00:00Z") + `]}`), nil
	})
	tool := tools.Search("https://rs.example")
	for _, reads := range []int{4, 3} { // the schema, which is not cached for a grant without an id, and both kinds of streams
		before := len(server.Requests())
		got, text := searchWith(t, tool, server, `{"q":"rent","since":"2026-03-01","until":"2026-03-31"}`)
		var ids []string
		for _, hit := range got.Results {
			ids = append(ids, hit.ID)
		}
		if !slices.Equal(ids, []string{"c/s:in", "c/parts:p2"}) {
			t.Errorf("found %q", ids)
		}
		for _, says := range []string{"does not filter what this token reads by time", `2 hits for "rent", without 1 of unknown time`, "Left out, because they have no time of their own: 1. A search without since and until has them: parts."} {
			if !strings.Contains(text, says) {
				t.Errorf("the text does not say %q:\n%s", says, text)
			}
		}
		if n := len(server.Requests()) - before; n != reads {
			t.Errorf("%d reads, want %d: %q", n, reads, server.Lines())
		}
	}
}

// ANSWERS 6: if the schema marks nothing and filters are refused, a time is read newest first, in at most four pages, by the field with a
// usual name of a time. The answer says how far that reached. A hit of a search has the time of its record.
func TestAPeriodIfNothingIsMarked(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"id":"declared","subject":"declared","received_at":"declared"}},{"name":"labels","field_capabilities":{"name":"declared"}}]}]}`
	const all, size = 500, 100
	cursors := true
	last := time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC)
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		from, _ := strconv.Atoi(r.Query.Get("cursor"))
		var found []string
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case hasFilter(r.Query), r.Query.Get("sort") != "":
			return nil, &rs.Error{Code: "invalid_request", Status: 400, Param: "filter", Message: "filter[...] is not supported for client-token reads", Quoted: true}
		case r.Path == "/v1/search" && slices.Contains(r.Query["streams"], "messages"):
			for _, i := range []int{0, 10, 320, 450} {
				found = append(found, fmt.Sprintf(`{"stream":"messages","record_key":"m%d","connection_id":"c","emitted_at":"2026-12-31T00:00:00Z"}`, i))
			}
			return middlewaretest.JSON(`{"object":"list","has_more":false,"data":[` + strings.Join(found, ",") + `]}`), nil
		case !strings.HasPrefix(r.Path, "/v1/streams/messages/"):
			return middlewaretest.JSON(`{"object":"list","has_more":false,"data":[]}`), nil
		}
		for i := from; i < min(all, from+size); i++ {
			found = append(found, fmt.Sprintf(`{"id":"m%d","stream":"messages","data":{"subject":"Mail %d","received_at":%q}}`, i, i, last.AddDate(0, 0, -i).Format(time.RFC3339)))
		}
		next := map[bool]string{true: fmt.Sprintf(`,"next_cursor":"%d"`, from+size)}[from+size < all && cursors]
		return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%t,"data":[%s]%s}`, from+size < all, strings.Join(found, ","), next)), nil
	}}
	for name, row := range map[string]struct {
		arguments, ids string
		reads          int
		says           []string // what follows ! is not said
	}{
		"of the newest":        {`{"since":"2026-12-30"}`, "m0 m1", 3, []string{"the first 100 of each stream", "received_at of messages", "!may be missing", "Mail 1"}},
		"of one stream":        {`{"since":"2026-12-30","streams":["messages"]}`, "m0 m1", 3, []string{"!labels"}},
		"on the last page":     {`{"since":"2026-02-14","until":"2026-02-14"}`, "m320", 6, []string{"the first 400 of each stream", "!may be missing"}},
		"behind the last page": {`{"since":"2025-11-01","until":"2025-11-02"}`, "", 6, []string{"What is older than 2025-11-27T12:00:00Z may be missing.", `"cursor":"400"`}},
		"before and behind it": {`{"since":"2025-11-01","until":"2025-11-27"}`, "m399", 6, []string{"What is older than 2025-11-27T12:00:00Z may be missing.", `"cursor":"400"`}},
		"without cursors":      {`{"since":"2025-11-01","until":"2025-11-27"}`, "", 4, []string{"What is older than 2026-09-23T12:00:00Z may be missing."}},
		"of words":             {`{"q":"mail","since":"2026-02-14","until":"2026-12-30"}`, "m10 m320", 8, []string{"!may be missing", "!time of their own", "2026-02-14"}},
		"of older words":       {`{"q":"mail","since":"2025-11-01","until":"2026-12-30"}`, "m10 m320", 8, []string{"Left out, because their time is not known: 1.", "!time of their own"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(server.Requests())
			cursors = name != "without cursors"
			result := use(t, tools.Search("https://rs.example"), server, []byte(row.arguments))
			var ids []string
			for _, raw := range rs.AsObject(result.Structured).Array("results") {
				ids = append(ids, strings.TrimPrefix(rs.AsObject(raw).Text("id"), "c/messages:"))
			}
			if n := len(server.Requests()) - before; strings.Join(ids, " ") != row.ids || n > row.reads {
				t.Errorf("found %q in %d reads; want %s in %d", ids, n, row.ids, row.reads)
			}
			for _, want := range row.says {
				if unsaid, not := strings.CutPrefix(want, "!"); strings.Contains(result.Text, unsaid) == not {
					t.Errorf("said is %t of %q in\n%s", not, unsaid, result.Text)
				}
			}
		})
	}
}

func hasFilter(query url.Values) bool {
	for name := range query {
		if strings.HasPrefix(name, "filter[") {
			return true
		}
	}
	return false
}

// A repaired search also says what the search of a period leaves out, for all of its reads.
func TestARepairedSearchSaysWhatAPeriodLeavesOut(t *testing.T) {
	server := dated(func(r rs.Request) (*rs.Response, error) {
		switch {
		case strings.HasSuffix(r.Path, "/hybrid"):
			return nil, &rs.Error{Code: "search_mode_unavailable", Status: 404, Message: "No."}
		case r.Query.Get("q") == "rent" && slices.Contains(r.Query["streams"], "parts"):
			return middlewaretest.JSON(`{"object":"list","has_more":true,"data":[` + hitAt("parts", "p1", "") + `]}`), nil
		case r.Query.Get("q") == "rent":
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("s", "in", "2026-03-31T23:00:00Z") + `]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[]}`), nil
	})
	got, text := searchWith(t, tools.Search("https://rs.example"), server, `{"q":"rent overdue","since":"2026-03-01","until":"2026-03-31"}`)
	for _, says := range []string{"Left out, because they have no time of their own: 1. A search without since and until has them: parts.", "Only the first 1 hits in parts were looked through."} {
		if !strings.Contains(text, says) || len(got.Results) != 1 {
			t.Errorf("the text does not say %q:\n%s", says, text)
		}
	}
}

// Streams without a time are left out of a search of a period; the answer names only those with hits.
func TestOnlyStreamsWithHitsAreReportedAsLeftOut(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"s","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}},` +
		`{"name":"people","field_capabilities":{"name":"t=text,lex"}},{"name":"notes","field_capabilities":{"text":"t=text,lex"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case slices.Contains(r.Query["streams"], "notes"):
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `,` + hitAt("notes", "2", "") + `]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("s", "in", "2026-03-31T23:00:00Z") + `]}`), nil
	}}
	_, text := searchWith(t, tools.Search("https://rs.example"), server, `{"q":"rent","since":"2026-03-01"}`)
	says := "Left out, because they have no time of their own: 2. A search without since and until has them: notes."
	if !strings.Contains(text, says) || strings.Contains(text, "by their records") || strings.Contains(text, "people") {
		t.Error(text)
	}
}

// If a search of a period finds nothing, the answer does not claim that more hits exist; it says what was not looked through.
func TestAnEmptyPeriodDoesNotClaimMoreHits(t *testing.T) {
	server := dated(func(r rs.Request) (*rs.Response, error) {
		if slices.Contains(r.Query["streams"], "parts") {
			return middlewaretest.JSON(`{"object":"list","has_more":true,"data":[` + hitAt("parts", "p1", "2025-01-01T12:00:00Z") + `]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[]}`), nil
	})
	_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"rent","since":"2026-03-01","until":"2026-03-31"}`)
	const says = "Only the first 1 hits in parts were looked through."
	if !strings.Contains(text, says) || !strings.Contains(text, "0 hits") || strings.Contains(text, "More hits exist") {
		t.Error(text)
	}
}

// A repaired search stays within the period.
func TestARepairStaysWithinThePeriod(t *testing.T) {
	answers := allWords(year, 404)
	server := dated(answers.Answer)
	got, text := searchWith(t, tools.Search("https://rs.example"), server, `{"q":"when is my dentist appointment moved","streams":["s"],"since":"2026-03-01"}`)
	if len(got.Results) != 3 || got.Data.Repair == nil || !strings.Contains(text, "No record has all of: appointment, dentist, moved. These have some.") {
		t.Errorf("%+v\n%s", got, text)
	}
	for _, r := range server.Requests()[1:] {
		if r.Query.Get("filter[at][gte]") != "2026-03-01" {
			t.Errorf("read outside of the period: %s", middlewaretest.Line(r))
		}
	}
}

func TestInvalidPeriods(t *testing.T) {
	for arguments, says := range map[string]string{
		`{"since":"2026-04-01","until":"2026-03-31"}`:           "is after until",
		`{"q":"a","since":"yesterday"}`:                         `since cannot be "yesterday"`,
		`{"mode":"semantic","since":"2026-04-01"}`:              "mode needs q",
		`{"streams":["s"]}`:                                     "q is required",
		`{"since":"2026-04-01","until":"2026-04-01"}`:           "",
		`{"since":"2026-04-01T23:00:00Z","until":"2026-04-01"}`: "",
	} {
		_, err := tools.Search("").Parse(json.RawMessage(arguments))
		if (err != nil) != (says != "") || err != nil && !strings.Contains(rs.AsError(err).Message, says) {
			t.Errorf("%s: %v; want %q", arguments, err, says)
		}
	}
	for arguments, code := range map[string]rs.Code{
		`{"since":"2026-04-01","streams":["parts"]}`: "invalid_arguments",
		`{"since":"2026-04-01","streams":["other"]}`: "unknown_stream",
	} {
		server := dated(func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(`{"data":[]}`), nil })
		tool := tools.Search("")
		args, _ := tool.Parse(json.RawMessage(arguments))
		if _, err := tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(arguments), RS: server, Args: args}); err == nil || rs.AsError(err).Code != code {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

// The body of a message has the time of the message, which is read if the hit does not have it: only bodies of messages in the period are
// found.
func TestAPartHasTheTimeOfItsRecord(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"mails","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","subject":"t=text,role=primary-title","by":"t=string,role=actor"},` +
		`"expand_capabilities":[{"name":"body","stream":"parts","cardinality":"has_one"}]},{"name":"parts","field_capabilities":{"text":"t=text,lex"}}]}]}`
	times := map[string]string{"in": "2026-03-05T00:00:00Z", "out": "2026-05-05T00:00:00Z"}
	bodies := map[string]string{"in": "in", "out": "out", "apart": "another"} // by message
	for name, row := range map[string]struct {
		bodies []string // the message bodies that the search finds
		more   bool     // the period has more messages than are listed
		ids    []string
		says   string
		reads  int
	}{
		"in the period and out of it":              {[]string{"out", "in"}, false, []string{"c/parts:in"}, `1 hit for "rent", by relevance, not date; first`, 6},
		"whose message has another id":             {[]string{"apart", "in"}, false, []string{"c/parts:in"}, `1 hit for "rent", without 1 of unknown time, by relevance, not date;`, 6},
		"none of whose messages are in the period": {[]string{"apart"}, false, nil, `0 hits for "rent", without 1 of unknown time`, 6},
		"more than are read":                       {slices.Repeat([]string{"out"}, 12), true, nil, `0 hits for "rent", without 2 of unknown time`, 15},
		"more, of a period that is":                {slices.Repeat([]string{"out"}, 12), false, nil, `0 hits for "rent" since`, 15},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				id, one := strings.CutPrefix(r.Path, "/v1/streams/mails/records/")
				switch {
				case r.Path == "/v1/schema":
					return middlewaretest.JSON(schema), nil
				case one && r.Query.Get("expand") == "body":
					return middlewaretest.JSON(fmt.Sprintf(`{"object":"record","id":%q,"stream":"mails","data":{"at":%q,"subject":"About %s","by":"Ada"},"expanded":{"body":{"id":%q,"data":{}}}}`,
						id, times[id], id, bodies[id])), nil
				case r.Path == "/v1/streams/mails/records":
					return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","has_more":%t,"data":[{"id":"in","data":{}}]}`, row.more)), nil
				case !slices.Contains(r.Query["streams"], "parts"):
					return middlewaretest.JSON(`{"object":"list","data":[]}`), nil
				}
				var hits []string
				for _, id := range row.bodies {
					hits = append(hits, hitAt("parts", id, ""))
				}
				return middlewaretest.JSON(`{"object":"list","data":[` + strings.Join(hits, ",") + `]}`), nil
			}}
			got, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"rent","since":"2026-03-01","until":"2026-03-31"}`)
			var ids []string
			for _, hit := range got.Results {
				ids = append(ids, hit.ID)
			}
			if !slices.Equal(ids, row.ids) || !strings.Contains(text, row.says) || len(ids) > 0 && !strings.Contains(text, "2026-03-05 00:00 | About in | Ada") {
				t.Errorf("found %q:\n%s", ids, text)
			}
			if n := len(server.Lines()); n != row.reads {
				t.Errorf("D28: %d reads, want %d: %q", n, row.reads, server.Lines())
			}
		})
	}
}

// If a query names a time, the search of that time without its words is proposed.
func TestATimeInAQuery(t *testing.T) {
	for _, hits := range []int{0, 4} {
		server := dated(func(r rs.Request) (*rs.Response, error) {
			if strings.HasPrefix(r.Path, "/v1/streams") {
				return nil, &rs.Error{Code: "not_found", Status: 404}
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + strings.Join(slices.Repeat([]string{hitAt("s", "a", "")}, hits), ",") + `]}`), nil
		})
		got, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"invoices in March 2026","streams":["s"]}`)
		const call = `search {"q":"invoices","streams":["s"],"since":"2026-03-01","until":"2026-03-31"}`
		if !strings.Contains(text+"\n", "of the time that the query names: "+call+"\n") {
			t.Errorf("%d hits: %+v\n%s", hits, got, text)
		}
	}
}

// A part of a year is no time if a record has its word with the other words of the query, as the title of a budget may.
func TestAPartOfAYearInATitle(t *testing.T) {
	for _, row := range []struct {
		q      string
		titled int // records that have all the words
		isTime bool
	}{
		{"the budget for Q4", 2, false},
		{"the budget for Q4", 0, true},
		{"budget Q1", 2, false},
		{"Q3 budget", 2, false},
		{"the budget in Q4", 2, true},
		{"the budget since Q2", 2, true},
		{"mails for Q4", 2, true}, // no other word
	} {
		server := dated(func(r rs.Request) (*rs.Response, error) {
			count := 0
			if strings.HasPrefix(r.Query.Get("q"), "budget q") {
				count = row.titled
			}
			return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","data":[%s],"meta":{"count":%d}}`, hitAt("s", "a", ""), count)), nil
		})
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, fmt.Sprintf(`{"q":%q,"streams":["s"]}`, row.q))
		if strings.Contains(text, "of the time that the query names: ") != row.isTime {
			t.Errorf("%s, %d: time is %t in\n%s", row.q, row.titled, !row.isTime, text)
		}
	}
}

// The proposed search of a time omits words that no record has. For an ambiguous date, both days are named.
func TestTheProposedPeriodOmitsMissingWords(t *testing.T) {
	const recall = `{"complete":true,"partial_count":0,"missing_words":["Zebra","elephants"],"left_out_words":["the"]}`
	for q, want := range map[string]string{
		"the zebra elephants last week":    `of the time that the query names: search {"streams":["s"],"since":"`,
		"invoices of zebra in March 2026?": `of the time that the query names: search {"q":"invoices","streams":["s"],"since":"2026-03-01","until":"2026-03-31"}`,
		"lunch on 03/06/2026":              `"03/06/2026" was read as words, as it may be either day: send since and until, both 2026-06-03 or both 2026-03-06.`,
		"lunch in Nov 25":                  `-11-25 or 2025-11-01 and 2025-11-30.`,
	} {
		server := dated(func(rs.Request) (*rs.Response, error) {
			return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":` + recall + `}}`), nil
		})
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, fmt.Sprintf(`{"q":%q,"streams":["s"]}`, q))
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", q, want, text)
		}
	}
}

// A month without a year means the newest year with a hit in that month.
func TestAMonthWithoutAYearIsThatOfTheNewestHit(t *testing.T) {
	last := func(month time.Month) int { // the year if there are no hits
		now := time.Now().UTC()
		if month > now.Month() {
			return now.Year() - 1
		}
		return now.Year()
	}
	for _, row := range []struct {
		prefers, at, words string
		more               bool
		year               int
	}{
		{"any June", "2019-06-03T09:00:00Z", `"in","June"`, false, 2019},
		{"any June", "2020-06-30", "", false, 2020},
		{"any June", "2020-07-30", "", false, 2018},
		{"any June", "2020-06-30", "", true, last(time.June)},
		{"2026-06-01 until before 2026-07-01", "2019-06-03", "", false, last(time.June)},
	} {
		server := dated(func(rs.Request) (*rs.Response, error) {
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("s", "a", "2018-06-05") + "," + hitAt("s", "b", row.at) +
				fmt.Sprintf(`],"has_more":%t,"next_cursor":"n","meta":{"recall":{"preferred_time":%q,"time_words":[%s]}}}`, row.more, row.prefers, row.words)), nil
		})
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"invoices in June","streams":["s"]}`)
		if want := fmt.Sprintf(`"since":"%d-06-01","until":"%d-06-30"}`, row.year, row.year); !strings.Contains(text, want) {
			t.Errorf("%+v: want %q in\n%s", row, want, text)
		}
	}
}

// A query for everything at a time becomes a search without words; the proposed period is never shorter than the one that was meant.
func TestAQueryForEverythingAtATime(t *testing.T) {
	for q, want := range map[string]string{
		"what happened on 14 July 2026":                          `search {"since":"2026-07-14","until":"2026-07-14"}`,
		"Where was I on 7 August 2026?":                          `search {"since":"2026-08-07","until":"2026-08-07"}`,
		"E-Mails im März 2026":                                   `search {"since":"2026-03-01","until":"2026-03-31"}`,
		"Welche Termine habe ich im April 2026?":                 `search {"since":"2026-04-01","until":"2026-04-30"}`,
		"emails in March 2026":                                   `search {"since":"2026-03-01","until":"2026-03-31"}`,
		"who did I meet on 6 October 2026?":                      `search {"since":"2026-10-06","until":"2026-10-06"}`,
		"which parts came in March 2026":                         `search {"q":"parts","since":"2026-03-01","until":"2026-03-31"}`,
		"all parts of March 2026":                                `search {"q":"parts","since":"2026-03-01","until":"2026-03-31"}`, // they have no time
		"Zusammenfassung 2026-05":                                `search {"since":"2026-05-01","until":"2026-05-31"}`,
		"what happened to the boiler in May 2026":                `search {"q":"boiler","since":"2026-05-01","until":"2026-05-31"}`,
		"the first week of June 2026":                            `search {"since":"2026-06-01","until":"2026-06-07"}`,
		"the first weekend of June 2026":                         "",
		"was geschah im März 2026":                               `search {"since":"2026-03-01","until":"2026-03-31"}`,
		"how much did I pay Brightwater in October 2026":         `search {"q":"Brightwater","since":"2026-10-01","until":"2026-10-31"}`,
		"what did Sam write about the cottage -hut in May 2026?": `search {"q":"Sam cottage -hut","since":"2026-05-01","until":"2026-05-31"}`,
		"what did I pay in May 2026":                             `search {"q":"pay","since":"2026-05-01","until":"2026-05-31"}`,
		"what is on my calendar on 12 October 2026":              `search {"since":"2026-10-12","until":"2026-10-12"}`,
		"mails from Tom in May 2026":                             `search {"q":"Tom","since":"2026-05-01","until":"2026-05-31"}`,
		"Thread and Needle in May 2026":                          `search {"q":"Thread Needle","since":"2026-05-01","until":"2026-05-31"}`,
		"invoice TW-2041 in May 2026":                            `search {"q":"invoice TW-2041","since":"2026-05-01","until":"2026-05-31"}`,
		"am I free on 12 November 2026 at 10?":                   `search {"since":"2026-11-12","until":"2026-11-12"}`,
		"bin ich am 12. November 2026 um 10 Uhr frei?":           `search {"since":"2026-11-12","until":"2026-11-12"}`,
		"suis-je libre le 12 novembre 2026":                      `search {"since":"2026-11-12","until":"2026-11-12"}`,
		"quels sont mes rendez-vous le 2 juin 2026":              `search {"since":"2026-06-02","until":"2026-06-02"}`,
		"que compromissos tenho em 2 de junho de 2026?":          `search {"since":"2026-06-02","until":"2026-06-02"}`,
		"meeting at 10 with Ann on 12 November 2026":             `search {"q":"Ann","since":"2026-11-12","until":"2026-11-12"}`,
		"free tickets in May 2026":                               `search {"q":"free tickets","since":"2026-05-01","until":"2026-05-31"}`,
		"mails Ines sent in March 2026 compared to April":        "", // the proposed call would ignore the comparison
	} {
		server := dated(func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(`{"object":"list","data":[]}`), nil })
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, rs.Object{{Name: "q", Value: rs.EncodeJSON(q)}}.JSON())
		_, proposed, _ := strings.Cut(text, "of the time that the query names: ")
		if got, _, _ := strings.Cut(proposed, "\n"); got != want {
			t.Errorf("%s: %q; want %q", q, got, want)
		}
	}
}

// If the schema marks only a time in a stream, its records are described by their first short values, without another read.
func TestATimelineDescribesRecordsWithoutATitle(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"rows","field_capabilities":{"day":"t=date,role=event-time,eq,r=gte|gt|lte|lt","payee":"t=string","amount":"t=number"}},` +
		`{"name":"mails","field_capabilities":{"at":"t=date,role=event-time,eq,r=gte|gt|lte|lt","from":"t=string,role=actor"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case strings.Contains(r.Path, "/rows/"):
			if r.Query.Has("fields") {
				t.Errorf("only %q are read", r.Query["fields"])
			}
			return middlewaretest.JSON(`{"data":[{"id":"1","stream":"rows","data":{"id":"1","day":"2026-04-01","payee":"Towpath","amount":-45.20}}]}`), nil
		}
		return middlewaretest.JSON(`{"data":[{"id":"2","stream":"mails","data":{"at":"2026-04-01","from":"Ida"}}]}`), nil
	}}
	result := use(t, tools.Search("https://rs.example"), server, json.RawMessage(`{"since":"2026-04-01"}`))
	if got := len(server.Requests()); got != 3 || !strings.Contains(result.Text, "c/rows:1 | \"2026-04-01\" | Towpath, amount -45.20 |") ||
		!strings.Contains(result.Text, "| mails from k, 2026-04-01") {
		t.Errorf("%d reads\n%s", got, result.Text)
	}
}

// The warning that files were not read is printed once in an answer without records, and not in an answer with records because another
// source had none.
func TestUnreadFilesAreReportedOnceForAPeriod(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"a","field_capabilities":{"at":"t=date,role=event-time,eq,r=gte|gt|lte|lt"}},` +
		`{"name":"b","field_capabilities":{"at":"t=date,role=event-time,eq,r=gte|gt|lte|lt"}}]}]}`
	const unread = `"meta":{"count":0,"warnings":[{"code":"not_read","message":"x.pdf was not read"}]}`
	for _, words := range []string{"", `"q":"tax",`} {
		for _, record := range []string{"", `{"id":"1","stream":"a","record_key":"1","connection_id":"c","authored_at":"2026-04-01","data":{"at":"2026-04-01"}}`} {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch {
				case r.Path == "/v1/schema":
					return middlewaretest.JSON(schema), nil
				case record != "" && (strings.Contains(r.Path, "/a/") || r.Query.Get("streams") == "a"):
					return middlewaretest.JSON(`{"data":[` + record + `]}`), nil
				}
				return middlewaretest.JSON(`{"data":[],` + unread + `}`), nil
			}}
			result := use(t, tools.Search("https://rs.example"), server, json.RawMessage(`{`+words+`"since":"2026-04-01"}`))
			want := 1
			if record != "" {
				want = 0
			}
			for _, channel := range []string{result.Text, result.Structured} {
				if strings.Count(channel, "x.pdf was not read") != want {
					t.Errorf("%s want %d:\n%s", words, want, channel)
				}
			}
		}
	}
}

// A date without a time is listed once, at the start of its day in the zone of the search, wherever a page ends; so is a value that is
// not a valid time.
func TestATimelineOfDatesIsComplete(t *testing.T) {
	stream := func(name string) model.Stream {
		return model.Stream{Name: name, PrimaryKey: []string{"at"}, CursorField: "at", Fields: []model.Field{
			{Name: "at", Type: "timestamp", Role: "event-time", Exact: true, Range: true},
		}}
	}
	connectors := []model.Connector{{
		Key: "k", SourceID: "https://registry.test/k", Connections: []model.Connection{{ID: "c", DisplayName: "C"}},
		Streams: []model.Stream{stream("events"), stream("calls"), stream("chats")},
	}}
	var records []model.Record
	add := func(stream, id, at string, begun time.Time) {
		data, _ := json.Marshal(map[string]any{"at": at})
		records = append(records, model.Record{ConnectionID: "c", Stream: stream, ID: id, EmittedAt: begun, Data: data})
	}
	midnight := time.Date(2026, 10, 11, 0, 0, 0, 0, time.UTC)
	for i := range 6 {
		add("events", fmt.Sprint("day", i), "2026-10-11", midnight)
		hour := midnight.Add(time.Duration(i-5) * 2 * time.Hour)
		add("events", fmt.Sprint("hour", i), hour.Format(time.RFC3339), hour)
		add("calls", fmt.Sprint("call", i), hour.Add(time.Hour).Format(time.RFC3339), hour.Add(time.Hour))
		add("chats", fmt.Sprint("chat", i), hour.Format("2006-01-02 15:04:05 UTC"), hour)
	}
	server, tool := serve(t, connectors, records), tools.Search("https://rs.example")
	for _, zone := range []string{"UTC", "Asia/Tokyo", "America/Los_Angeles"} {
		var all []string
		for _, limit := range []int{100, 1, 2, 5, 7, 20} {
			var ids []string
			cursor := ""
			for page := 0; page == 0 || cursor != "" && page < 50; page++ {
				arguments := rs.Object{rs.NewMember("since", "2026-10-01"), rs.NewMember("time_zone", zone), rs.NewMember("limit", limit)}
				if cursor != "" {
					arguments = append(arguments, rs.NewMember("cursor", cursor))
				}
				_, data, reply := server.call(t, tool, arguments.JSON())
				result, _ := tool.Render(reply.Call, reply.Answer)
				for _, raw := range rs.AsObject(result.Structured).Array("results") {
					ids = append(ids, rs.AsObject(raw).Text("id"))
				}
				cursor = data.Text("next_cursor")
			}
			if all == nil {
				all = ids
			}
			if len(all) != len(records) || !slices.Equal(ids, all) {
				t.Errorf("by %d in %s: %d of %d, %q", limit, zone, len(ids), len(records), ids)
			}
		}
	}
}

// Records without a time that are parts of others are listed with those, both where they cannot be searched by time and where the search
// of a period has no cursor for the rest.
func TestPartsWithoutATimeAreListedWithTheirRecords(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"mails","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","subject":"t=text,lex"},"expand_capabilities":[` +
		`{"name":"body","stream":"bodies","cardinality":"has_one","usable":true},{"name":"files","stream":"files","cardinality":"has_many","usable":true}]},` +
		`{"name":"files","field_capabilities":{"name":"t=text,lex"}},{"name":"bodies","field_capabilities":{"text":"t=text,lex"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case slices.Contains(r.Query["streams"], "bodies"):
			return middlewaretest.JSON(`{"object":"list","has_more":true,"data":[` + hitAt("bodies", "1", "2026-03-05T00:00:00Z") + `]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("mails", "in", "2026-03-31T23:00:00Z") + `]}`), nil
	}}
	call := func(expand, bounds string) string {
		return `query_records {"stream":"mails","filter":{"at":{` + bounds + `}},"expand":["` + expand + `"]}`
	}
	const march = `"gte":"2026-03-01","lte":"2026-03-31"`
	for arguments, says := range map[string]string{
		`{"q":"rent","since":"2026-03-01","until":"2026-03-31","streams":["bodies"]}`:            "has no cursor: narrow q. The records that say when, with these as parts of them: " + call("body", march),
		`{"q":"rent","since":"2026-03-01","streams":["mails"]}`:                                  "has no cursor: shorten the time or narrow q. The records that say when, with these as parts of them: " + call("body", `"gte":"2026-03-01"`),
		`{"q":"rent","since":"2026-03-01","streams":["mails"],"filter":{"from":"Ada"}}`:          `query_records {"stream":"mails","filter":{"from":"Ada","at":{"gte":"2026-03-01"}},"expand":["body"]}`,
		`{"q":"rent","since":"2026-03-01","until":"2026-03-31","streams":["mails"],"limit":100}`: "has no cursor: shorten the time or narrow q. The records that say when",
	} {
		if _, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, arguments); !strings.Contains(text, says) {
			t.Errorf("%s: %s; want %q", arguments, text, says)
		}
	}
	tool, raw := tools.PlainSearch("https://rs.example"), `{"since":"2026-03-01","until":"2026-03-31","streams":["files"]}`
	args, err := tool.Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	_, err = tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(raw), RS: server, Args: args})
	if e := rs.AsError(err); err == nil || e.Send != call("files", march) || !strings.Contains(e.Hint, "The records that they are parts of say") {
		t.Errorf("%+v", err)
	}
}
