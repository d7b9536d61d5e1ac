package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// journeys returns those without errors. folder is a demo over a person's own data.
func journeys(t *testing.T, folder addresses) []journey {
	countOf := func(question string) any { return rsGet(t, sample, "/v1/streams/"+question)["value"] }
	return []journey{
		{says: "S3-14a, S3-15a and B-1 answers 21 questions about a year", walk: answersQuestions},
		{says: "S3-R19 and S1-1a finds a fact, reads around it and proves the quote", walk: provesAQuote},
		{says: "S1-1a follows every proven match of a search", walk: followsEvidence},
		{says: "S0-5g pages a stream to its end, every record once", walk: func(c *client) {
			rows, _ := c.pages(callOf("query_records", `{"stream":"orders","limit":100}`))
			everyOnce(c.t, idsOf(rows), countOf("orders/aggregate?metric=count"))
		}},
		{says: "S3-R10 and S3-11a pages a filtered and sorted stream with related records", walk: func(c *client) {
			rows, _ := c.pages(callOf("query_records", `{"stream":"orders","limit":9,"filter":{"total":{"gte":50}},"sort":"-total","expand":["order_items"],"expand_limit":{"order_items":1}}`))
			everyOnce(c.t, idsOf(rows), countOf("orders/aggregate?metric=count&filter[total][gte]=50"))
			inOrder(c.t, rows, "total", func(before, after float64) bool { return before >= after })
		}},
		{says: "S0-R8 pages a stream of two connections, one after the other", walk: func(c *client) {
			rows, _ := c.pages(callOf("query_records", `{"stream":"attachments","limit":40,"fields":["filename"]}`))
			everyOnce(c.t, idsOf(rows), countOf("attachments/aggregate?metric=count"))
		}},
		{says: "S3-14b pages a search to its end, every hit once", walk: func(c *client) {
			ids := c.found(callOf("search", `{"q":"Atlas","streams":["notes","messages"],"mode":"lexical","limit":25}`))
			meta := rsGet(t, sample, "/v1/search?q=Atlas&streams=notes&streams=messages&streams=message_bodies&limit=1")["meta"].(map[string]any)
			everyOnce(c.t, ids, meta["count"])
		}},
		{says: "S3-16a pages the search of a package", token: "package", walk: func(c *client) {
			ids := c.found(callOf("search", `{"q":"Lisbon","limit":20}`))
			all := rsGet(t, sample, "/v1/search?q=Lisbon&limit=1")["meta"].(map[string]any)["count"].(float64)
			notes := rsGet(t, sample, "/v1/search?q=Lisbon&limit=1&streams=notes")["meta"].(map[string]any)["count"].(float64)
			everyOnce(c.t, ids, all-notes) // the notebook's grant is revoked
		}},
		{says: "S3-10b narrows by a value", walk: func(c *client) {
			rows, _ := c.pages(callOf("query_records", `{"stream":"orders","filter":{"status":"shipped"},"fields":["status"]}`))
			everyOnce(c.t, idsOf(rows), countOf("orders/aggregate?metric=count&filter[status]=shipped"))
			for _, r := range rows {
				if got := c.value(r, "status"); got != "shipped" {
					c.t.Errorf("%s is %q", r.id, got)
				}
			}
		}},
		{says: "S3-10c narrows by a range, and learns the total", walk: func(c *client) {
			got := c.getPage(callOf("query_records", `{"stream":"notes","filter":{"created_at":{"gte":"2026-03-01","lt":"2026-04-01"}},"fields":["created_at"],"count":"exact","limit":30}`))
			want := countOf("notes/aggregate?metric=count&filter[created_at][gte]=2026-03-01&filter[created_at][lt]=2026-04-01")
			if fmt.Sprint(want) != got.total || got.next != nil {
				c.t.Errorf("the page has the total %s, the resource server counts %v", got.total, want)
			}
			everyOnce(c.t, idsOf(got.rows), want)
		}},
		{says: "S3-2b sorts both ways", walk: func(c *client) {
			for sort, ordered := range map[string]func(before, after float64) bool{
				"total":  func(before, after float64) bool { return before <= after },
				"-total": func(before, after float64) bool { return before >= after },
			} {
				p := c.getPage(call{"query_records", map[string]any{"stream": "orders", "sort": sort, "limit": 20}})
				inOrder(c.t, p.rows, "total", ordered)
			}
		}},
		{says: "S0-R7 and S1-4b reads two fields and no others", walk: func(c *client) {
			for _, r := range c.getPage(callOf("query_records", `{"stream":"orders","fields":["total","currency"],"limit":5}`)).rows {
				names := slices.DeleteFunc(slices.Sorted(maps.Keys(r.values)), func(name string) bool { return strings.HasPrefix(name, "emitted_at") })
				if diff := cmp.Diff([]string{"currency", "total"}, names); diff != "" {
					c.t.Error(diff)
				}
			}
		}},
		{says: "S3-12a counts, sums and finds the first and the last", walk: func(c *client) {
			for _, question := range []string{"metric=count", "metric=sum&field=item_count", "metric=min&field=ordered_at", "metric=max&field=item_count", "metric=count_distinct&field=merchant"} {
				arguments := map[string]any{"stream": "orders"}
				for pair := range strings.SplitSeq(question, "&") {
					name, value, _ := strings.Cut(pair, "=")
					arguments[name] = value
				}
				got := c.tally(c.get(call{"aggregate", arguments}))
				if want := fmt.Sprint(countOf("orders/aggregate?" + question)); got.value != want {
					c.t.Errorf("%s is %s, want %s", question, got.value, want)
				}
			}
		}},
		{says: "S3-12b and S3-13b counts by group, and raises the limit until no group is left out", walk: func(c *client) {
			limit, total := 3, 0
			for ; ; limit *= 4 {
				got := c.getTally(fmt.Sprintf(`{"stream":"orders","metric":"count","group_by":"merchant","limit":%d}`, limit))
				if got.other == "0" {
					for _, count := range got.groups {
						n, _ := strconv.Atoi(count)
						total += n
					}
					break
				}
				if got.other == "" || limit > 1000 {
					c.t.Fatalf("what is left out is %q with a limit of %d", got.other, limit)
				}
			}
			if want := countOf("orders/aggregate?metric=count"); fmt.Sprint(total) != fmt.Sprint(want) {
				c.t.Errorf("the groups add up to %d, want %v", total, want)
			}
		}},
		{says: "S3-12b counts by time, as wide as the tool list allows", walk: func(c *client) {
			for _, width := range c.enumeration("aggregate", "granularity") {
				if width == "hour" || width == "day" {
					continue // more groups than fit in an answer
				}
				got := c.getTally(`{"stream":"notes","metric":"count","group_by_time":"created_at","limit":100,"granularity":"` + width + `"}`)
				total := 0
				for _, count := range got.groups {
					n, _ := strconv.Atoi(count)
					total += n
				}
				if want := countOf("notes/aggregate?metric=count"); fmt.Sprint(total) != fmt.Sprint(want) || !slices.IsSorted(got.keys) {
					c.t.Errorf("by %s there are %d of %v: %v", width, total, want, got.keys)
				}
			}
		}},
		{says: "S1-R2 reads a field of 60,000 characters in English", walk: readsLong("small thing a day")},
		{says: "S1-R2 reads a field of 60,000 characters in Japanese", walk: readsLong("日本語の練習日記")},
		{says: "S1-R2 reads a field of 60,000 characters in Arabic", walk: readsLong("يوميات بالعربية")},
		{says: "S1-R2 and S1-2a reads a text full of emoji in small parts", data: true, walk: func(c *client) {
			id := c.found(callOf("search", `{"q":"波の日記","limit":1}`))[0]
			want := fieldOf(c.t, folder, id, "body")
			same(c.t, want, c.readOn(call{"read_record_field", map[string]any{"id": id, "field": "body", "limit_chars": 1777}}))
		}},
		{says: "S1-2a reads a page's long field on where the page cuts it", walk: func(c *client) {
			for _, r := range c.getPage(callOf("query_records", `{"stream":"notes","limit":1}`)).rows {
				if len(r.long) != 1 {
					c.t.Fatalf("%s has %d calls to read on", r.id, len(r.long))
				}
				body, offset := fieldOf(c.t, sample, r.id, "body"), 0
				if at, given := r.long[0].arguments["offset_chars"].(float64); given { // structured output continues where it stopped
					offset = int(at)
				}
				same(c.t, string([]rune(body)[offset:]), c.readOn(r.long[0]))
			}
		}},
		{says: "S1-R3 reads around a match in the middle of a long field", walk: func(c *client) {
			w := c.window(c.get(callOf("read_record_field", `{"id":"cin_notes/notes:note-0002","field":"body","q":"歯医者","before_chars":30,"after_chars":30}`)))
			whole := []rune(fieldOf(c.t, sample, "cin_notes/notes:note-0002", "body"))
			if w.match != "歯医者" || w.end > len(whole) || string(whole[w.start:w.end]) != w.text || w.next == nil {
				c.t.Errorf("the window is %+v", w)
			}
		}},
		{says: "S1-R3 and S1-3a reads a list as JSON", walk: func(c *client) {
			w := c.window(c.get(callOf("read_record_field", `{"id":"cin_mail_work/messages:dup-1","field":"to"}`)))
			people := parsed[[]struct{ Name, Email string }](w.text)
			if len(people) != 2 || people[0].Email == "" || w.next != nil {
				c.t.Errorf("the field is %s", w.text)
			}
		}},
		{says: "S1-2a fetches a record with a long list and reads the list to its end", data: true, walk: func(c *client) {
			id := c.found(callOf("search", `{"q":"coast","limit":1}`))[0]
			if d := c.open(map[string]any{"id": id}); d.Metadata.Complete {
				c.t.Fatal("the document claims to be complete")
			}
			if stops := fieldOf(c.t, folder, id, "stops"); !strings.Contains(c.whole(id), stops) {
				c.t.Error("the document and its truncated parts do not have the whole list")
			}
		}},
		{says: "S3-15a sees that a short record is complete", walk: func(c *client) {
			if d := c.open(map[string]any{"id": "cin_mail_work/messages:w-m0711"}); !d.Metadata.Complete || d.Metadata.ReadOmitted != nil {
				c.t.Errorf("the document is complete, but has %+v", d.Metadata)
			}
		}},
		{says: "S3-19a, S3-19b and S0-6a tells two records with one id apart", walk: tellsApart},
		{says: "S2-7 and S0-8a chooses a connection that an error offers, and then the other", walk: choosesAConnection},
		{says: "S3-11a and S3-11b reads related records", walk: readsRelated},
		{says: "S3-2b follows the changes of a stream to the end, and asks for later ones", walk: followsChanges},
		{says: "S0-R5, S0-5a, S0-5b, S0-5c, S3-R10 and S4-5a finds every stream and asks all that its schema says can be asked", walk: asksEverything},
		{says: "S0-5d reads the full schema of a stream with 900 fields", data: true, walk: func(c *client) {
			names := fieldsOf(c.describe(map[string]any{"stream": "readings", "detail": "full"}), "fields")
			if len(names) != wideFields+2 {
				c.t.Errorf("the schema names %d fields, want %d", len(names), wideFields+2)
			}
		}},
		{says: "S0-5d asks for the schema of two fields, and uses them", data: true, walk: func(c *client) {
			blocks := c.describe(map[string]any{"stream": "readings", "fields": []string{"reading_of_the_instrument_007", "reading_of_the_instrument_890"}})
			if diff := cmp.Diff([]string{"reading_of_the_instrument_007", "reading_of_the_instrument_890"}, fieldsOf(blocks, "sum")); diff != "" {
				c.t.Fatal(diff)
			}
			if got := c.getTally(`{"stream":"readings","metric":"sum","field":"reading_of_the_instrument_890"}`); got.value != "890" {
				c.t.Errorf("the sum is %q", got.value)
			}
		}},
	}
}

func idsOf(rows []row) []string {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.id
	}
	return ids
}

// value returns a value of a record; if its line is too short for it, the record is fetched.
func (c *client) value(r row, field string) string {
	c.t.Helper()
	if value, ok := r.values[field]; ok {
		return value
	}
	for line := range strings.SplitSeq(c.open(map[string]any{"id": r.id, "fields": []string{field}}).Text, "\n") {
		if value, ok := strings.CutPrefix(line, field+": "); ok && value != "null" {
			return unquoted(value)
		}
	}
	return ""
}

func inOrder(t *testing.T, rows []row, field string, ordered func(before, after float64) bool) {
	t.Helper()
	if len(rows) < 2 {
		t.Fatalf("there are %d records", len(rows))
	}
	last := 0.0
	for i, r := range rows {
		value, err := strconv.ParseFloat(r.values[field], 64)
		if err != nil {
			t.Fatalf("%s of %s is %q", field, r.id, r.values[field])
		}
		if i > 0 && !ordered(last, value) {
			t.Errorf("%v comes before %v", last, value)
		}
		last = value
	}
}

// digest returns the SHA-256 of a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// unmarked returns an excerpt as it is hashed: in one line, without the marks of the match and the ellipses.
func unmarked(excerpt string) string {
	line := strings.Join(strings.Fields(strings.NewReplacer("<mark>", "", "</mark>", "").Replace(excerpt)), " ")
	return strings.TrimSpace(strings.Trim(line, "…"))
}

func answersQuestions(c *client) {
	for _, fact := range factsOfTheYear(c.t) {
		asked := call{"search", map[string]any{"q": fact.Query, "streams": []any{fact.Stream}, "limit": 5}}
		found := c.hits(asked, c.get(asked))
		if !slices.ContainsFunc(found.ids, func(id string) bool { return strings.Contains(c.whole(id), fact.Answer) }) {
			c.t.Errorf("%s: none of %v has %q", fact.Question, found.ids, fact.Answer)
		}
	}
}

func provesAQuote(c *client) {
	asked := callOf("search", `{"q":"dentist appointment","streams":["message_bodies"],"limit":1}`)
	found := c.hits(asked, c.get(asked))
	if len(found.evidence) == 0 {
		c.t.Fatal("the search has no evidence")
	}
	e := found.evidence[0]
	around := c.window(c.get(e.read))
	if !strings.Contains(around.text, "Thursday 12 March 2026 at 14:30") || !strings.HasPrefix(digest(around.text), e.sha256) && digest(around.text) != around.sha256 {
		c.t.Errorf("the window is %+v", around)
	}
	if !strings.HasPrefix(digest(unmarked(e.text)), e.sha256) || e.sha256 == "" || e.start < 0 {
		c.t.Fatalf("the excerpt cannot be cited: %+v", e)
	}
	again := c.window(c.get(call{"read_record_field", map[string]any{"id": e.id, "field": e.field, "offset_chars": e.start, "limit_chars": e.end - e.start}}))
	if got := digest(unmarked(again.text)); !strings.HasPrefix(got, e.sha256) {
		c.t.Errorf("characters %d to %d of %s are %q, and hash to %s", e.start, e.end, e.id, again.text, got)
	}
}

func followsEvidence(c *client) {
	for _, q := range []string{"Lisbon", "日本語", "Atlas"} {
		asked := call{"search", map[string]any{"q": q, "limit": 3}}
		found := c.hits(asked, c.get(asked))
		if len(found.evidence) == 0 {
			c.t.Errorf("S1-1a: a search for %s has no evidence", q)
		}
		for _, e := range found.evidence {
			w := c.window(c.get(e.read))
			matched := strings.Contains(strings.ToLower(w.text), strings.ToLower(q)) && (w.match == "" || strings.EqualFold(w.match, q))
			if !matched || digest(w.text) != w.sha256 {
				c.t.Errorf("S1-1a: %v shows %+v", e.read, w)
			}
		}
	}
}

// readsLong reads the first note that a search finds, by windows and from where its document was truncated.
func readsLong(query string) func(*client) {
	return func(c *client) {
		asked := call{"search", map[string]any{"q": query, "streams": []any{"notes"}, "limit": 1}}
		found := c.hits(asked, c.get(asked))
		if len(found.ids) != 1 {
			c.t.Fatalf("%q finds %v", query, found.ids)
		}
		want := fieldOf(c.t, sample, found.ids[0], "body")
		if len([]rune(want)) < 60_000 {
			c.t.Fatalf("the note has only %d characters", len([]rune(want)))
		}
		same(c.t, want, c.readOn(call{"read_record_field", map[string]any{"id": found.ids[0], "field": "body", "limit_chars": 16384}}))

		d := c.open(map[string]any{"id": found.ids[0]})
		if d.Metadata.Complete || len(d.Metadata.Incomplete) != 1 || d.Metadata.Incomplete[0].Total != len([]rune(want)) {
			c.t.Fatalf("the document does not say what is missing: %+v", d.Metadata)
		}
		_, shown, _ := strings.Cut(d.Text, "\nbody:\n")
		shown, _, _ = strings.Cut(shown, "\n[body is cut")
		same(c.t, want, contentOnly{}.window(shown).text+c.readOn(d.Metadata.Incomplete[0].Read.call()))
	}
}

func tellsApart(c *client) {
	asked := callOf("search", `{"q":"Keys and codes over Christmas","streams":["messages"],"limit":5}`)
	ids := slices.DeleteFunc(c.hits(asked, c.get(asked)).ids, func(id string) bool { return !strings.HasSuffix(id, ":dup-1") })
	slices.Sort(ids)
	if diff := cmp.Diff([]string{"cin_mail_personal/messages:dup-1", "cin_mail_work/messages:dup-1"}, ids); diff != "" {
		c.t.Fatalf("S3-19a: the ids differ:\n%s", diff)
	}
	for _, id := range ids {
		if d := c.open(map[string]any{"id": id}); d.ID != id || d.Metadata.ConnectionID+"/messages:dup-1" != id {
			c.t.Errorf("S3-19b: fetch of %s gives %s of %s", id, d.ID, d.Metadata.ConnectionID)
		}
	}
}

func choosesAConnection(c *client) {
	asked := callOf("fetch", `{"id":"messages:dup-1"}`)
	seen, failed := c.ask(asked)
	options := c.refused(seen).Connections
	if !failed || len(options) != 2 {
		c.t.Fatalf("the error offers %+v", options)
	}
	for _, option := range options {
		if d := c.open(map[string]any{"id": "messages:dup-1", "connection_id": option.ID}); d.Metadata.ConnectionID != option.ID {
			c.t.Errorf("S2-7: %s gives the record of %s", option.ID, d.Metadata.ConnectionID)
		}
	}
}

func readsRelated(c *client) {
	about := map[string]any{"stream": "orders"}
	relations := fieldsOf(c.describe(about), "expand")
	if len(relations) != 1 {
		c.t.Fatalf("the schema names the relations %v", relations)
	}
	p := c.getPage(call{"query_records", map[string]any{"stream": "orders", "limit": 1, "expand": relations}})
	d := c.open(map[string]any{"id": p.rows[0].id, "expand": relations, "expand_limit": map[string]any{relations[0]: 5}})
	if !strings.Contains(d.Text, "expanded "+relations[0]+": 2 records") || !strings.Contains(d.Text, `"name":"Quince paste"`) {
		c.t.Errorf("the document is\n%s", d.Text)
	}
}

func followsChanges(c *client) {
	rows, later := c.pages(callOf("query_records", `{"stream":"orders","changes_since":"beginning","limit":100,"filter":{"status":"delivered"},"fields":["status"]}`))
	everyOnce(c.t, idsOf(rows), rsGet(c.t, sample, "/v1/streams/orders/aggregate?metric=count&filter[status]=delivered")["value"])
	if later == nil {
		c.t.Fatal("the feed has no call for later changes")
	}
	if p := c.getPage(*later); len(p.rows) != 0 || p.next != nil || p.later == nil {
		c.t.Errorf("there are already later changes: %+v", p)
	}
}

// asksEverything makes filters, sorts, projections and aggregates from the schema of every stream; all of them must be served.
func asksEverything(c *client) {
	all := c.catalog(c.get(callOf("schema", `{}`)))
	names := map[string]bool{}
	for _, g := range all {
		names[g.stream] = true
	}
	if diff := cmp.Diff(streamNames(c.t), slices.Sorted(maps.Keys(names))); diff != "" {
		c.t.Fatalf("S0-5a: schema names other streams than are granted:\n%s", diff)
	}
	for _, g := range all {
		base := map[string]any{"stream": g.stream, "connection_id": g.connection}
		blocks := c.describe(base)
		if len(blocks) != 1 || !slices.Equal(blocks[0].connections, []string{g.connection}) || len(blocks[0].words["fields"]) == 0 || len(blocks[0].words["exact"]) == 0 {
			c.t.Errorf("S0-5b, S0-5c: the schema of %v is %+v", g, blocks)
			continue
		}
		asksAll(c, blocks[0], base)
	}
}

func asksAll(c *client, block described, base map[string]any) {
	c.t.Helper()
	records := call{"query_records", base}.with("limit", 1)
	words := block.words
	records = records.with("fields", words["fields"][:min(2, len(words["fields"]))])
	for _, field := range words["sort"] {
		c.get(records.with("sort", field))
		c.get(records.with("sort", "-"+field))
	}
	for _, field := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(words["exact"], words["range"])))) {
		p := c.getPage(records.with("fields", []string{field}))
		value := ""
		if len(p.rows) > 0 && slices.Contains(words["lexical"], field) { // prose, which a page shows truncated in one line
			value = c.value(row{id: p.rows[0].id}, field)
		} else if len(p.rows) > 0 {
			value = c.value(p.rows[0], field)
		}
		if value == "" {
			continue
		}
		filters := map[string]any{"exact": map[string]any{field: value}, "range": map[string]any{field: map[string]any{"gte": value, "lte": value}}}
		for word, filter := range filters {
			if !slices.Contains(words[word], field) {
				continue
			}
			if p := c.getPage(records.with("filter", filter)); len(p.rows) == 0 {
				c.t.Errorf("S3-10b, S3-10c: no record of %v has %v, which one of them has", base, filter)
			}
		}
	}
	aggregate := call{"aggregate", base}
	got := c.tally(c.get(aggregate.with("metric", "count")))
	if want := rsGet(c.t, sample, fmt.Sprintf("/v1/streams/%s/aggregate?metric=count&connection_id=%s", base["stream"], base["connection_id"]))["value"]; got.value != fmt.Sprint(want) {
		c.t.Errorf("S3-12a: the count of %v is %s, want %v", base, got.value, want)
	}
	for _, metric := range []string{"sum", "min", "max", "count_distinct"} {
		for _, field := range words[metric] {
			c.get(aggregate.with("metric", metric).with("field", field))
		}
	}
	count := aggregate.with("metric", "count").with("limit", 3)
	for _, field := range words["group_by"] {
		c.get(count.with("group_by", field))
	}
	for _, field := range words["group_by_time"] {
		c.get(count.with("group_by_time", field).with("granularity", "month"))
	}
	for _, relation := range words["expand"] {
		c.get(records.with("expand", []string{relation}))
	}
	for _, example := range block.examples {
		c.get(example)
	}
}
