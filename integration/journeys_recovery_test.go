package integration

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The program recovers from an error using only its message and hint. A rule is a phrase that says what to send instead, and how a reader
// without other knowledge understands it.
type rule struct {
	says  *regexp.Regexp
	mends func(c *client, wrong call, found []string) call
}

// recovers makes the calls that errors lead to, until one succeeds.
func (c *client) recovers(wrong call, seen string) (call, string) {
	c.t.Helper()
	for range 4 {
		r := c.refused(seen)
		explained := r.Message + " " + r.Hint
		next := call{}
		if r.RetryWith == "connection_id" && len(r.Connections) > 0 {
			next = wrong.with("connection_id", r.Connections[0].ID)
		}
		for i := 0; next.tool == "" && i < len(rules); i++ {
			if found := rules[i].says.FindStringSubmatch(explained); found != nil {
				next = rules[i].mends(c, wrong, found)
			}
		}
		if next.tool == "" {
			c.t.Fatalf("%v: the error does not say what to send instead:\n%s", wrong, seen)
		}
		var failed bool
		if seen, failed = c.ask(next); !failed {
			return next, seen
		}
		wrong = next
	}
	c.t.Fatalf("%v still fails:\n%s", wrong, seen)
	return call{}, ""
}

// If several rules apply, the first is used.
var rules = []rule{
	{regexp.MustCompile(`Write this record's id as (pdpp://record/\S+)\.`), func(_ *client, wrong call, found []string) call {
		return wrong.with("id", found[1])
	}},
	{regexp.MustCompile(`Send the id alone`), func(_ *client, wrong call, _ []string) call {
		return wrong.without("connection_id")
	}},
	{regexp.MustCompile(`^(\w+) is required\. Send for example (\{.*\})\.`), func(_ *client, wrong call, found []string) call {
		return wrong.with(found[1], callOf("", found[2]).arguments[found[1]])
	}},
	{regexp.MustCompile(`^(\w+) cannot be .* Send one of: (\w+)`), func(_ *client, wrong call, found []string) call {
		return wrong.with(found[1], found[2])
	}},
	{regexp.MustCompile(`^(\w+) cannot be .* Send a whole number from (\d+) to`), func(_ *client, wrong call, found []string) call {
		number, _ := strconv.Atoi(found[2])
		return wrong.with(found[1], number)
	}},
	{regexp.MustCompile(`^Unknown argument "(\w+)"\. This tool takes: `), func(_ *client, wrong call, found []string) call {
		return wrong.without(found[1])
	}},
	{regexp.MustCompile(`and (\w+) cannot be combined\. Leave one of them out`), func(_ *client, wrong call, found []string) call {
		return wrong.without(found[1])
	}},
	{regexp.MustCompile(`or leave (group_by_time) out`), func(_ *client, wrong call, found []string) call {
		return wrong.without(found[1])
	}},
	{regexp.MustCompile(`supported with (\w+)=(\w+) only`), func(_ *client, wrong call, found []string) call {
		return wrong.with(found[1], found[2]).without("field")
	}},
	{regexp.MustCompile(`Leave (mode) out|without (q)\.`), func(_ *client, wrong call, found []string) call {
		return wrong.without(found[1] + found[2]).without("before_chars").without("after_chars")
	}},
	{regexp.MustCompile(`(filter) is an empty object; leave it out|Leave (expand) and expand_limit out`), func(_ *client, wrong call, found []string) call {
		return wrong.without(found[1] + found[2]).without("expand_limit")
	}},
	{regexp.MustCompile(`filter names the field "(\w+)\[(\w+)\]"; send the bare name.* operators: `), func(_ *client, wrong call, found []string) call {
		value := wrong.arguments["filter"].(map[string]any)[found[1]+"["+found[2]+"]"]
		return wrong.with("filter", map[string]any{found[1]: map[string]any{found[2]: value}})
	}},
	{regexp.MustCompile(`filter is the string .* Send an object such as \{`), func(c *client, wrong call, _ []string) call {
		return wrong.with("filter", c.someFilter(wrong))
	}},
	{regexp.MustCompile(`expand_limit is .* relation names as schema printed them`), func(c *client, wrong call, _ []string) call {
		return wrong.with("expand_limit", map[string]any{c.relation(wrong): 1})
	}},
	{regexp.MustCompile(`schema with the stream for the relations`), func(c *client, wrong call, _ []string) call {
		return wrong.with("expand", []any{c.relation(wrong)}).without("expand_limit")
	}},
	{regexp.MustCompile(`[Ss]tart again without (?:it|cursor)`), func(_ *client, wrong call, _ []string) call {
		if wrong.arguments["changes_since"] != nil {
			wrong = wrong.with("changes_since", "beginning")
		}
		return wrong.without("cursor")
	}},
	{regexp.MustCompile(`in the grant\. Call schema for what is|without arguments lists the streams and connections|choose another connection_id, which schema lists|Call schema without arguments to see the streams`), func(c *client, wrong call, _ []string) call {
		return c.withinGrant(wrong)
	}},
	{regexp.MustCompile(`schema with the stream for|schema\(stream\) lists which fields`), func(c *client, wrong call, _ []string) call {
		return c.withinSchema(wrong)
	}},
	{regexp.MustCompile(`printed it: connection_id/stream:record_id|exactly as printed, or search again`), func(c *client, wrong call, _ []string) call {
		again := callOf("search", `{"q":"dentist","streams":["notes"],"limit":1}`)
		found := c.hits(again, c.get(again))
		if len(found.ids) == 0 {
			c.t.Fatal("the search returns no id")
		}
		return wrong.with("id", found.ids[0])
	}},
}

// streamOf returns the stream and the connection named in a call.
func streamOf(asked call) map[string]any {
	about := map[string]any{}
	for _, name := range []string{"stream", "connection_id"} {
		if asked.arguments[name] != nil {
			about[name] = asked.arguments[name]
		}
	}
	if id, _ := asked.arguments["id"].(string); id != "" {
		connection, rest, _ := strings.Cut(id, "/")
		stream, _, _ := strings.Cut(rest, ":")
		about["stream"], about["connection_id"] = stream, connection
	}
	return about
}

// relation returns one that the schema says can be expanded.
func (c *client) relation(wrong call) string {
	c.t.Helper()
	names := fieldsOf(c.describe(streamOf(wrong)), "expand")
	if len(names) == 0 {
		c.t.Fatalf("%v: schema names no relation", wrong)
	}
	return names[0]
}

// someFilter returns a filter as the hint shows it, with a field for exact filters and a value that a record has.
func (c *client) someFilter(wrong call) map[string]any {
	c.t.Helper()
	about := streamOf(wrong)
	for _, field := range fieldsOf(c.describe(about), "exact") {
		asked := call{"query_records", about}.with("fields", []any{field}).with("limit", 1)
		for _, r := range c.getPage(asked).rows {
			if value := r.values[field]; value != "" {
				return map[string]any{field: value}
			}
		}
	}
	c.t.Fatalf("%v: no record has a value for a filter", wrong)
	return nil
}

// withinGrant returns the call with a stream and a connection that schema lists.
func (c *client) withinGrant(wrong call) call {
	c.t.Helper()
	all := c.catalog(c.get(callOf("schema", `{}`)))
	if len(all) == 0 {
		c.t.Fatal("schema lists no streams")
	}
	streams, _ := wrong.arguments["streams"].([]any)
	if wrong.tool == "search" && len(streams) > 0 {
		wrong = wrong.with("streams", []any{all[0].stream})
	}
	if wrong.tool == "search" {
		return wrong.without("connection_id")
	}
	stream, _ := wrong.arguments["stream"].(string)
	connection, _ := wrong.arguments["connection_id"].(string)
	choice := all[0]
	for _, g := range all {
		if g.stream == stream {
			choice = g
		}
	}
	if slices.Contains(all, granted{stream, connection}) {
		choice = granted{stream, connection}
	}
	return wrong.with("stream", choice.stream).with("connection_id", choice.connection)
}

// withinSchema returns the call with fields that the schema of its stream names for each use.
func (c *client) withinSchema(wrong call) call {
	c.t.Helper()
	blocks := c.describe(streamOf(wrong))
	choose := func(word string) string {
		names := fieldsOf(blocks, word)
		if len(names) == 0 {
			c.t.Fatalf("%v: schema names no field for %s", wrong, word)
		}
		return names[0]
	}
	known := fieldsOf(blocks, "fields")
	next := wrong
	if fields, ok := wrong.arguments["fields"].([]any); ok {
		kept := slices.DeleteFunc(slices.Clone(fields), func(name any) bool { return !slices.Contains(known, name.(string)) })
		if len(kept) == 0 {
			kept = []any{known[0]}
		}
		next = next.with("fields", kept)
	}
	if filter, ok := wrong.arguments["filter"].(map[string]any); ok {
		exact := fieldsOf(blocks, "exact")
		for name := range filter {
			if !slices.Contains(exact, name) {
				next = next.with("filter", c.someFilter(wrong))
			}
		}
	}
	if sort, ok := wrong.arguments["sort"].(string); ok && !slices.Contains(fieldsOf(blocks, "sort"), strings.TrimPrefix(sort, "-")) {
		next = next.with("sort", choose("sort"))
	}
	switch metric, _ := wrong.arguments["metric"].(string); {
	case wrong.tool == "read_record_field":
		next = next.with("field", choose("lexical"))
	case wrong.tool == "aggregate" && metric != "count" && !slices.Contains(fieldsOf(blocks, metric), asString(wrong.arguments["field"])):
		next = next.with("field", choose(metric))
	}
	return next
}

func asString(value any) string {
	s, _ := value.(string)
	return s
}

// A recovery is a wrong call and the code of its first error.
type recovery struct {
	says, code, tool, arguments string
	token                       string // "" is the client's
}

var recoveries = []recovery{
	{says: "S3-R3 an argument is missing", code: "invalid_arguments", tool: "search", arguments: `{}`},
	{says: "an argument is unknown (S3-2d)", code: "invalid_arguments", tool: "search", arguments: `{"q":"Lisbon","limit":1,"connector_instance_id":"cin_shop"}`},
	{says: "a limit is no number", code: "invalid_arguments", tool: "search", arguments: `{"q":"Lisbon","limit":"many"}`},
	{says: "a mode does not exist", code: "invalid_arguments", tool: "search", arguments: `{"q":"Lisbon","limit":1,"mode":"fuzzy"}`},
	{says: "a mode is not served here", code: "search_mode_unavailable", tool: "search", arguments: `{"q":"Lisbon","limit":1,"mode":"semantic"}`},
	{says: "arguments exclude one another", code: "invalid_arguments", tool: "query_records", arguments: `{"stream":"orders","limit":1,"changes_since":"beginning","sort":"total"}`},
	{says: "a metric lacks its field", code: "invalid_arguments", tool: "aggregate", arguments: `{"stream":"orders","metric":"sum"}`},
	{says: "a time group lacks its width", code: "invalid_arguments", tool: "aggregate", arguments: `{"stream":"orders","metric":"count","group_by_time":"ordered_at"}`},
	{says: "S0-5e the full schema of everything", code: "invalid_arguments", tool: "schema", arguments: `{"detail":"full"}`},
	{says: "S3-10d the filter is a string", code: "invalid_filter", tool: "query_records", arguments: `{"stream":"orders","limit":1,"filter":"total>100"}`},
	{says: "S3-10d and S3-10f the filter is JSON in a string", code: "invalid_filter", tool: "aggregate", arguments: `{"stream":"orders","metric":"count","filter":"{\"total\":1}"}`},
	{says: "S3-10e the filter is empty", code: "invalid_filter", tool: "search", arguments: `{"q":"Lisbon","limit":1,"filter":{}}`},
	{says: "S3-10e the filter's key has brackets", code: "invalid_filter", tool: "query_records", arguments: `{"stream":"orders","limit":1,"filter":{"total[gte]":1}}`},
	{says: "S3-11c the expand limit is empty", code: "invalid_expand", tool: "query_records", arguments: `{"stream":"orders","limit":1,"expand":["order_items"],"expand_limit":{}}`},
	{says: "S4-5b the stream expands nothing", code: "invalid_expand", tool: "query_records", arguments: `{"stream":"notes","limit":1,"fields":["title"],"expand":["x"]}`},
	{says: "the relation does not exist", code: "invalid_expand", tool: "query_records", arguments: `{"stream":"orders","limit":1,"expand":["x"]}`},
	{says: "the field does not exist", code: "unknown_field", tool: "query_records", arguments: `{"stream":"orders","limit":1,"fields":["nope","total"]}`},
	{says: "the filtered field does not exist", code: "unknown_field", tool: "query_records", arguments: `{"stream":"orders","limit":1,"filter":{"nope":1}}`},
	{says: "the field can not be sorted by", code: "invalid_sort", tool: "query_records", arguments: `{"stream":"orders","limit":1,"sort":"-merchant"}`},
	{says: "the field can not be summed", code: "invalid_request", tool: "aggregate", arguments: `{"stream":"orders","metric":"sum","field":"merchant"}`},
	{says: "the field of a record does not exist", code: "field_not_granted", tool: "read_record_field", arguments: `{"id":"cin_notes/notes:note-0097","field":"nope"}`},
	{says: "the field is not granted (S0-2c)", code: "field_not_granted", tool: "query_records", arguments: `{"stream":"messages","limit":1,"fields":["snippet"]}`, token: "narrow"},
	{says: "the stream is not granted", code: "unknown_stream", tool: "query_records", arguments: `{"stream":"notes","limit":1}`, token: "narrow"},
	{says: "the connection is not granted", code: "unknown_connection", tool: "query_records", arguments: `{"stream":"orders","connection_id":"cin_nope","limit":1}`},
	{says: "the search leaves the grant", code: "unknown_stream", tool: "search", arguments: `{"q":"Oslo","limit":1,"streams":["notes"]}`, token: "narrow"},
	{says: "the search names another's connection", code: "unknown_connection", tool: "search", arguments: `{"q":"Lisbon","limit":1,"connection_id":"cin_nope"}`},
	{says: "S0-5f the full schema of a stream with several sources", code: "ambiguous_connection", tool: "schema", arguments: `{"stream":"messages","detail":"full"}`},
	{says: "S3-19c a legacy id that two connections have", code: "ambiguous_connection", tool: "fetch", arguments: `{"id":"messages:dup-1"}`},
	{says: "S0-R8 and S0-8a a package call that names no connection", code: "ambiguous_connection", tool: "query_records", arguments: `{"stream":"messages","limit":1}`, token: "package"},
	{says: "a package holds no such connection", code: "unknown_connection", tool: "aggregate", arguments: `{"stream":"messages","metric":"count","connection_id":"cin_nope"}`, token: "package"},
	{says: "S3-3a a package's connection was revoked", code: "grant_revoked", tool: "query_records", arguments: `{"stream":"notes","connection_id":"cin_notes","limit":1}`, token: "package"},
	{says: "S3-19d the id and connection_id disagree", code: "conflicting_connection_id", tool: "fetch", arguments: `{"id":"cin_mail_work/messages:dup-1","connection_id":"cin_mail_personal"}`},
	{says: "S3-19e the id climbs", code: "invalid_id", tool: "fetch", arguments: `{"id":"../messages:dup-1"}`},
	{says: "S3-19e the id has an empty part", code: "invalid_id", tool: "read_record_field", arguments: `{"id":"cin_mail_work/:x","field":"title"}`},
	{says: "the record's own id has a slash (S2-2)", code: "invalid_id", tool: "fetch", arguments: `{"id":"cin_shop/orders:2026/0042"}`},
	{says: "the record does not exist", code: "not_found", tool: "fetch", arguments: `{"id":"cin_notes/notes:none"}`},
	{says: "the words are not in the field", code: "query_not_found", tool: "read_record_field", arguments: `{"id":"cin_notes/notes:note-0097","field":"body","q":"no such words"}`},
	{says: "the cursor is not one", code: "invalid_cursor", tool: "query_records", arguments: `{"stream":"orders","limit":1,"cursor":"nonsense"}`},
	{says: "the bookmark is not one", code: "invalid_cursor", tool: "query_records", arguments: `{"stream":"orders","limit":1,"changes_since":"nonsense"}`},
	{says: "a search's cursor is not one", code: "invalid_cursor", tool: "search", arguments: `{"q":"Lisbon","limit":1,"cursor":"nonsense"}`},
	{says: "a package search's cursor is not one", code: "invalid_cursor", tool: "search", arguments: `{"q":"Lisbon","limit":1,"cursor":"nonsense"}`, token: "package"},
}

// walk makes the wrong call and then follows the errors until a call succeeds.
func (r recovery) walk(c *client) {
	c.t.Helper()
	wrong := callOf(r.tool, r.arguments)
	seen, failed := c.ask(wrong)
	got := c.refused(seen)
	if !failed || got.Code != r.code || got.Message == "" || got.Hint == "" {
		c.t.Fatalf("%v: got %+v, want the code %s with a message and a hint", wrong, got, r.code)
	}
	c.recovers(wrong, seen)
}
