package middleware_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Through the whole pipeline, invalid arguments are refused with a typed error that names what is wrong and what to
// send instead, and nothing is sent to the resource server.
func TestBadInputIsRefusedInSilence(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	type row struct {
		arguments string
		code      rs.Code
		says      string // what the message names
	}
	filters := map[string]row{ // of query_records, aggregate and search alike
		"S3-10d a bracketed filter":              {`"filter[user_id]=U123"`, "invalid_filter", "filter[user_id]=U123"},
		"S3-10d a comparison in a text":          {`"amount>100"`, "invalid_filter", "amount"},
		"S3-10d a bare term":                     {`"invoice"`, "invalid_filter", "invoice"},
		"S3-10d an empty text":                   {`""`, "invalid_filter", `""`},
		"S3-10d an object in a text":             {`"{\"user_id\":\"U123\"}"`, "invalid_filter", "user_id"},
		"S3-10d a text of 20 KB":                 {`"` + long + `"`, "invalid_filter", "xxx…"},
		"S3-10e an empty object":                 {`{}`, "invalid_filter", "empty object"},
		"S3-10e a bracketed field":               {`{"filter[user_id]":"U123"}`, "invalid_filter", "filter[user_id]"},
		"S3-10e a bracketed operator in a field": {`{"sent_at[gte]":"2026-01-01"}`, "invalid_filter", "sent_at[gte]"},
		"S3-10e a closing bracket in a field":    {`{"a]":"b"}`, "invalid_filter", "a]"},
		"an empty field":                         {`{"":"a"}`, "invalid_filter", `""`},
		"a field of spaces":                      {`{"  ":"a"}`, "invalid_filter", `" "`},
		"a field with a NUL":                     {`{"a\u0000":"b"}`, "invalid_filter", `a\u0000`},
		"a field with a line break":              {`{"a\n":"b"}`, "invalid_filter", `a\n`},
		"a field of 20 KB":                       {`{"` + long + `":"b"}`, "invalid_filter", "xxx…"},
		"a field given twice":                    {`{"a":1,"a":2}`, "invalid_filter", `{"a":1,"a":2}`},
		"S3-10c an unknown operator":             {`{"sent_at":{"between":"x"}}`, "invalid_filter", "between"},
		"an operator given twice":                {`{"sent_at":{"gte":1,"gte":2}}`, "invalid_filter", "sent_at"},
		"a range without operators":              {`{"sent_at":{}}`, "invalid_filter", "sent_at"},
		"a range of an object":                   {`{"sent_at":{"gte":{"a":1}}}`, "invalid_filter", `{"a":1}`},
		"a range of a list":                      {`{"sent_at":{"gte":[1]}}`, "invalid_filter", "[1]"},
		"a range of null":                        {`{"sent_at":{"gte":null}}`, "invalid_filter", "null"},
		"a value of null":                        {`{"status":null}`, "invalid_filter", "null"},
		"a list of values":                       {`{"status":["a","b"]}`, "invalid_filter", `["a","b"]`},
		"an empty value":                         {`{"status":""}`, "invalid_filter", `""`},
		"a value with a NUL":                     {`{"status":"a\u0000"}`, "invalid_filter", `a\u0000`},
		"a value of 20 KB":                       {`{"status":"` + long + `"}`, "invalid_filter", "xxx…"},
		"a number of 1,000 digits":               {`{"n":` + strings.Repeat("9", 1000) + `}`, "invalid_filter", "999…"},
		"a number":                               {`7`, "invalid_filter", "7"},
		"a boolean":                              {`true`, "invalid_filter", "true"},
		"sixty conditions":                       {manyConditions(60), "invalid_filter", "50 conditions"},
	}
	limits := map[string]row{ // of every argument that is a page size
		"zero":               {`0`, "invalid_arguments", "0"},
		"less than zero":     {`-1`, "invalid_arguments", "-1"},
		"more than a page":   {`101`, "invalid_arguments", "101"},
		"a billion":          {`1e9`, "invalid_arguments", "1e9"},
		"more than a number": {`1e400`, "invalid_arguments", "1e400"},
		"a fraction":         {`2.5`, "invalid_arguments", "2.5"},
		"a boolean":          {`true`, "invalid_arguments", "true"},
		"a list":             {`[1]`, "invalid_arguments", "[1]"},
		"an object":          {`{"n":1}`, "invalid_arguments", `{"n":1}`},
	}
	cursors := map[string]row{
		"empty":                            {`""`, "invalid_arguments", "empty"},
		"of spaces":                        {`"  "`, "invalid_arguments", "empty"},
		"with a space":                     {`"a b"`, "invalid_arguments", "a b"},
		"with brackets":                    {`"cursor[0]"`, "invalid_arguments", "cursor[0]"},
		"with a quote":                     {`"a\"bc"`, "invalid_arguments", "bc"},
		"with a line":                      {`"ab\nc"`, "invalid_arguments", "ab"},
		"with a NUL":                       {`"abc\u0000"`, "invalid_arguments", "NUL"},
		"with a letter that no cursor has": {`"abcé"`, "invalid_arguments", "abcé"},
		"of 20 KB":                         {`"` + long + `"`, "invalid_arguments", "20000 bytes"},
		"that is a number":                 {`17`, "invalid_arguments", "17"},
	}
	names := map[string]row{ // of a stream or a connection
		"empty":                       {`""`, "invalid_arguments", "empty"},
		"of spaces":                   {`"   "`, "invalid_arguments", "empty"},
		"that traverses":              {`".."`, "invalid_id", `".."`},
		"that traverses in its midst": {`"a/../b"`, "invalid_id", "a/../b"},
		"with a slash":                {`"a/b"`, "invalid_id", "a/b"},
		"with a backslash":            {`"a\\b"`, "invalid_id", `a\\b`},
		"that is a path step":         {`"."`, "invalid_id", `"."`},
		"with a NUL":                  {`"a\u0000"`, "invalid_arguments", "NUL"},
		"with a line break":           {`"a\nb"`, "invalid_id", `a\nb`},
		"of 20 KB":                    {`"` + long + `"`, "invalid_arguments", "20000 bytes"},
		"that is a number":            {`7`, "invalid_arguments", "7"},
		"that is an object":           {`{"a":1}`, "invalid_arguments", `{"a":1}`},
	}
	lists := map[string]row{
		"that is empty":        {`[]`, "invalid_arguments", "empty array"},
		"with an empty name":   {`[""]`, "invalid_arguments", `""`},
		"with null":            {`["a",null]`, "invalid_arguments", `""`},
		"with brackets":        {`["a[b]"]`, "invalid_arguments", "a[b]"},
		"with a line break":    {`["a\nb"]`, "invalid_arguments", `a\nb`},
		"with a number":        {`["a",1]`, "invalid_arguments", `["a",1]`},
		"with a list":          {`[["a"]]`, "invalid_arguments", `[["a"]]`},
		"that is an object":    {`{"a":1}`, "invalid_arguments", `{"a":1}`},
		"with a name of 20 KB": {`["` + long + `"]`, "invalid_arguments", "20000 bytes"},
		"of a thousand names":  {`[` + strings.TrimSuffix(strings.Repeat(`"a",`, 1000), ",") + `]`, "invalid_arguments", "1000 names"},
	}
	ids := map[string]row{
		"S3-19e with an empty connection":  {`"/messages:m1"`, "invalid_id", "/messages:m1"},
		"S3-19e with an empty stream":      {`"cin_1/:m1"`, "invalid_id", "cin_1/:m1"},
		"S3-19e with an empty record":      {`"cin_1/messages:"`, "invalid_id", "cin_1/messages:"},
		"S3-19e with a second slash":       {`"cin_1/messages:m1/x"`, "invalid_id", "cin_1/messages:m1/x"},
		"S3-19e with a traversal":          {`"cin_1/messages:.."`, "invalid_id", "cin_1/messages:.."},
		"S3-19e with a traversal in front": {`"../messages:m1"`, "invalid_id", "../messages:m1"},
		"S3-19e with a backslash":          {`"cin_1/messages:a\\b"`, "invalid_id", "cin_1/messages:a"},
		"S2-2 with a NUL":                  {`"messages:m1\u0000"`, "invalid_arguments", "NUL"},
		"without a colon":                  {`"m1"`, "invalid_id", "m1"},
		"S2-9 that is a web address":       {`"https://example.com/a"`, "invalid_id", "https://example.com/a"},
		"that is empty":                    {`""`, "invalid_arguments", "empty"},
		"that is a number":                 {`1`, "invalid_arguments", "1"},
		"of 20 KB":                         {`"messages:` + long + `"`, "invalid_arguments", "20009 bytes"},
		"that is a broken record URI":      {`"pdpp://record/%%%"`, "invalid_id", "pdpp://record/"},
		"that is a URI of something else":  {`"pdpp://blob/eyJ2IjoxfQ"`, "invalid_id", "pdpp://blob/"},
	}
	var manyRelations rs.Object
	for i := range 101 {
		manyRelations = append(manyRelations, rs.Member{Name: fmt.Sprint("r", i), Value: "1"})
	}
	expandLimits := map[string]row{
		"S3-11c that is empty":        {`{}`, "invalid_expand", "{}"},
		"S3-11c with brackets":        {`{"expand_limit[messages]":3}`, "invalid_expand", "expand_limit[messages]"},
		"with an empty relation":      {`{"":3}`, "invalid_expand", `""`},
		"of more relations than 100":  {manyRelations.JSON(), "invalid_expand", "101 relations"},
		"with a relation given twice": {`{"a":1,"a":2}`, "invalid_expand", `"a"`},
		"with zero":                   {`{"a":0}`, "invalid_expand", "0"},
		"with less than zero":         {`{"a":-1}`, "invalid_expand", "-1"},
		"with a fraction":             {`{"a":2.5}`, "invalid_expand", "2.5"},
		"with null":                   {`{"a":null}`, "invalid_expand", "null"},
		"with a billion":              {`{"a":1e9}`, "invalid_expand", "1e9"},
		"that is a number":            {`3`, "invalid_expand", "3"},
		"that is a text":              {`"expand_limit[messages]=3"`, "invalid_expand", "expand_limit[messages]=3"},
		"that is a list":              {`[3]`, "invalid_expand", "[3]"},
	}
	// A place is one argument of a tool; others are the arguments that the tool needs in addition.
	type place struct{ tool, others, argument string }
	for at, rows := range map[place]map[string]row{
		{"query_records", `"stream":"messages"`, "filter"}:                          filters,
		{"aggregate", `"stream":"messages","metric":"count"`, "filter"}:             filters, // S3-10f
		{"search", `"q":"tax"`, "filter"}:                                           filters,
		{"query_records", `"stream":"messages"`, "limit"}:                           limits,
		{"aggregate", `"stream":"messages","metric":"count"`, "limit"}:              limits,
		{"search", `"q":"tax"`, "limit"}:                                            limits,
		{"query_records", `"stream":"messages"`, "cursor"}:                          cursors,
		{"query_records", `"stream":"messages"`, "changes_since"}:                   cursors,
		{"search", `"q":"tax"`, "cursor"}:                                           cursors,
		{"schema", ``, "stream"}:                                                    names,
		{"query_records", ``, "stream"}:                                             names,
		{"aggregate", `"metric":"count"`, "stream"}:                                 names,
		{"schema", ``, "connection_id"}:                                             names,
		{"query_records", `"stream":"messages"`, "connection_id"}:                   names,
		{"aggregate", `"stream":"messages","metric":"count"`, "connection_id"}:      names,
		{"search", `"q":"tax"`, "connection_id"}:                                    names,
		{"fetch", `"id":"messages:m1"`, "connection_id"}:                            names,
		{"read_record_field", `"id":"messages:m1","field":"body"`, "connection_id"}: names,
		{"list_streams", ``, "connection_id"}:                                       names,
		{"fetch_blob", `"blob_id":"b1"`, "connection_id"}:                           names,
		{"fetch_blob", ``, "blob_id"}:                                               names,
		{"query_records", `"stream":"messages"`, "fields"}:                          lists,
		{"query_records", `"stream":"messages"`, "expand"}:                          lists,
		{"fetch", `"id":"messages:m1"`, "fields"}:                                   lists,
		{"fetch", `"id":"messages:m1"`, "expand"}:                                   lists,
		{"search", `"q":"tax"`, "streams"}:                                          lists,
		{"fetch", ``, "id"}:                                                         ids,
		{"read_record_field", `"field":"body"`, "id"}:                               ids,
		{"query_records", `"stream":"messages"`, "expand_limit"}:                    expandLimits,
		{"fetch", `"id":"messages:m1"`, "expand_limit"}:                             expandLimits,
	} {
		for name, r := range rows {
			arguments := `{` + at.others + `,"` + at.argument + `":` + r.arguments + `}`
			if at.others == "" {
				arguments = `{"` + at.argument + `":` + r.arguments + `}`
			}
			t.Run(at.tool+": "+at.argument+": "+name, func(t *testing.T) {
				refusedInSilence(t, at.tool, arguments, at.argument, r.code, r.says)
			})
		}
	}
}

// manyConditions returns a filter on n fields.
func manyConditions(n int) string {
	var conditions []string
	for i := range n {
		conditions = append(conditions, fmt.Sprintf(`"f%d":1`, i))
	}
	return "{" + strings.Join(conditions, ",") + "}"
}

func TestBadCombinationsAreRefusedInSilence(t *testing.T) {
	long := strings.Repeat("x", 20_000)
	uri := rs.Ref{ConnectionID: "cin_1", Stream: "files", RecordID: "a/b"}.URI()
	for name, row := range map[string]struct {
		tool, arguments string
		param           string
		code            rs.Code
		says            string
	}{
		"S3-2b an unknown argument is named":                      {"query_records", `{"stream":"messages","having":"a=1"}`, "having", "invalid_arguments", "having"},
		"S3-2b every unknown argument is named":                   {"search", `{"q":"a","boost":3,"rerank":true}`, "boost", "invalid_arguments", `"boost", "rerank"`},
		"S0-2b the instance alias is unknown":                     {"query_records", `{"stream":"messages","connector_instance_id":"cin_1"}`, "connector_instance_id", "invalid_arguments", "connector_instance_id"},
		"a bracketed argument is unknown":                         {"query_records", `{"stream":"messages","filter[a]":"b"}`, "filter[a]", "invalid_arguments", "filter[a]"},
		"an unknown argument of 20 KB is cut":                     {"schema", `{"` + long + `":1}`, "", "invalid_arguments", "xxx…"},
		"an argument given twice is refused":                      {"query_records", `{"stream":"messages","stream":"notes"}`, "", "invalid_arguments", `"stream" is given twice`},
		"arguments that are a list are refused":                   {"query_records", `["messages"]`, "", "invalid_arguments", "not one JSON object"},
		"arguments that are a text are refused":                   {"search", `"tax"`, "", "invalid_arguments", "not one JSON object"},
		"arguments that break off are refused":                    {"search", `{"q":"tax"`, "", "invalid_arguments", "malformed"},
		"two objects are refused":                                 {"search", `{"q":"tax"}{}`, "", "invalid_arguments", "follows"},
		"a missing stream is named":                               {"query_records", `{}`, "stream", "invalid_arguments", "stream is required"},
		"a null stream is a missing one":                          {"query_records", `{"stream":null}`, "stream", "invalid_arguments", "stream is required"},
		"a missing stream is named for a number":                  {"aggregate", `{"metric":"count"}`, "stream", "invalid_arguments", "stream is required"},
		"a missing metric is named":                               {"aggregate", `{"stream":"messages"}`, "metric", "invalid_arguments", "metric is required"},
		"a missing id is named":                                   {"fetch", `{}`, "id", "invalid_arguments", "id is required"},
		"a missing id of a field is named":                        {"read_record_field", `{"field":"body"}`, "id", "invalid_arguments", "id is required"},
		"a missing field is named":                                {"read_record_field", `{"id":"messages:m1"}`, "field", "invalid_arguments", "field is required"},
		"a missing blob is named":                                 {"fetch_blob", `{}`, "blob_id", "invalid_arguments", "blob_id is required"},
		"D13 a search for nothing is refused":                     {"search", `{}`, "q", "invalid_arguments", "q is required"},
		"D13 a search for an empty text is refused":               {"search", `{"q":""}`, "q", "invalid_arguments", "q is empty"},
		"D13 a search for spaces is refused":                      {"search", `{"q":"   "}`, "q", "invalid_arguments", "q is empty"},
		"D13 a period finds without words":                        {"search", `{"limit":2}`, "q", "invalid_arguments", "q is required"},
		"D13 two different searches are refused":                  {"search", `{"q":"a","query":"b"}`, "query", "invalid_arguments", `q is "a" and query is "b"`},
		"a search for a number is refused":                        {"search", `{"q":7}`, "q", "invalid_arguments", "7"},
		"a search for 20 KB is refused":                           {"search", `{"q":"` + long + `"}`, "q", "invalid_arguments", "20000 bytes"},
		"a search for a NUL is refused":                           {"search", `{"q":"a\u0000"}`, "q", "invalid_arguments", "NUL"},
		"an unknown mode is named":                                {"search", `{"q":"a","mode":"fuzzy"}`, "mode", "invalid_arguments", "fuzzy"},
		"hybrid search has no pages":                              {"search", `{"q":"a","mode":"hybrid","cursor":"c1"}`, "cursor", "invalid_arguments", "hybrid"},
		"S0-5e D6 full needs a stream":                            {"schema", `{"detail":"full"}`, "stream", "invalid_arguments", "full"},
		"S0-5e full needs a stream even with a connection":        {"schema", `{"detail":"full","connection_id":"cin_1"}`, "stream", "invalid_arguments", "full"},
		"schema fields need a stream":                             {"schema", `{"fields":["a"]}`, "stream", "invalid_arguments", "fields needs stream"},
		"schema fields with brackets are named":                   {"schema", `{"stream":"m","fields":["a[gte]"]}`, "fields", "invalid_arguments", "a[gte]"},
		"no schema fields at all are refused":                     {"schema", `{"stream":"m","fields":[]}`, "fields", "invalid_arguments", "empty"},
		"a schema offset before the start is named":               {"schema", `{"offset":-1}`, "offset", "invalid_arguments", "-1"},
		"a schema offset that is too large is named":              {"schema", `{"stream":"m","offset":1000001}`, "offset", "invalid_arguments", "1000001"},
		"a list offset before the start is named":                 {"list_streams", `{"offset":-1}`, "offset", "invalid_arguments", "-1"},
		"an unknown detail is named":                              {"schema", `{"detail":"everything"}`, "detail", "invalid_arguments", "everything"},
		"an unknown order is named":                               {"query_records", `{"stream":"messages","order":"random"}`, "order", "invalid_arguments", "random"},
		"an unknown count is named":                               {"query_records", `{"stream":"messages","count":"some"}`, "count", "invalid_arguments", "some"},
		"a sort by brackets is named":                             {"query_records", `{"stream":"messages","sort":"sort[date]"}`, "sort", "invalid_arguments", "sort[date]"},
		"a view and fields cannot be combined":                    {"query_records", `{"stream":"messages","view":"v","fields":["a"]}`, "fields", "invalid_arguments", "view and fields"},
		"changes and a sort cannot be combined":                   {"query_records", `{"stream":"messages","changes_since":"beginning","sort":"a"}`, "sort", "invalid_arguments", "changes_since and sort"},
		"changes and an order cannot be combined":                 {"query_records", `{"stream":"messages","changes_since":"beginning","order":"asc"}`, "order", "invalid_arguments", "changes_since and order"},
		"changes and a count cannot be combined":                  {"query_records", `{"stream":"messages","changes_since":"beginning","count":"exact"}`, "count", "invalid_arguments", "changes_since and count"},
		"an unknown metric is named":                              {"aggregate", `{"stream":"messages","metric":"median","field":"a"}`, "metric", "invalid_arguments", "median"},
		"a sum needs a field":                                     {"aggregate", `{"stream":"messages","metric":"sum"}`, "field", "invalid_arguments", "sum"},
		"two groupings cannot be combined":                        {"aggregate", `{"stream":"m","metric":"count","group_by":"a","group_by_time":"b","granularity":"day"}`, "group_by_time", "invalid_arguments", "group_by and group_by_time"},
		"a time group needs its width":                            {"aggregate", `{"stream":"m","metric":"count","group_by_time":"b"}`, "granularity", "invalid_arguments", "group_by_time needs granularity"},
		"a width needs its time group":                            {"aggregate", `{"stream":"m","metric":"count","granularity":"day"}`, "group_by_time", "invalid_arguments", "granularity needs group_by_time"},
		"an unknown width is named":                               {"aggregate", `{"stream":"m","metric":"count","group_by_time":"b","granularity":"decade"}`, "granularity", "invalid_arguments", "decade"},
		"an unknown time zone is named":                           {"aggregate", `{"stream":"m","metric":"count","time_zone":"Mars/Olympus"}`, "time_zone", "invalid_arguments", "Mars/Olympus"},
		"a field with brackets is named":                          {"read_record_field", `{"id":"messages:m1","field":"body[0]"}`, "field", "invalid_arguments", "body[0]"},
		"an offset before the start is named":                     {"read_record_field", `{"id":"messages:m1","field":"body","offset_chars":-1}`, "offset_chars", "invalid_arguments", "-1"},
		"a window of nothing is named":                            {"read_record_field", `{"id":"messages:m1","field":"body","limit_chars":0}`, "limit_chars", "invalid_arguments", "0"},
		"a window that is too large is named":                     {"read_record_field", `{"id":"messages:m1","field":"body","limit_chars":16385}`, "limit_chars", "invalid_arguments", "16385"},
		"a match and an offset cannot be combined":                {"read_record_field", `{"id":"messages:m1","field":"body","q":"a","offset_chars":0}`, "offset_chars", "invalid_arguments", "q and offset_chars"},
		"a match and a limit cannot be combined":                  {"read_record_field", `{"id":"messages:m1","field":"body","q":"a","limit_chars":9}`, "limit_chars", "invalid_arguments", "q and limit_chars"},
		"surroundings need a match":                               {"read_record_field", `{"id":"messages:m1","field":"body","before_chars":9}`, "q", "invalid_arguments", "before_chars needs q"},
		"surroundings after need a match":                         {"read_record_field", `{"id":"messages:m1","field":"body","after_chars":9}`, "q", "invalid_arguments", "after_chars needs q"},
		"surroundings that are too large are named":               {"read_record_field", `{"id":"messages:m1","field":"body","q":"a","after_chars":8193}`, "after_chars", "invalid_arguments", "8193"},
		"S2-8 S3-19d two connections are refused":                 {"fetch", `{"id":"cin_1/messages:m1","connection_id":"cin_2"}`, "connection_id", "conflicting_connection_id", "cin_2"},
		"S3-19d two connections are refused for a field":          {"read_record_field", `{"id":"cin_1/messages:m1","field":"body","connection_id":"cin_2"}`, "connection_id", "conflicting_connection_id", "cin_1"},
		"S3-19d two connections are refused beside a record URI":  {"fetch", `{"id":"` + uri + `","connection_id":"cin_2"}`, "connection_id", "conflicting_connection_id", "cin_2"},
		"S0-2a an argument of a tool that takes one is still one": {"list_streams", `{"stream":"messages"}`, "stream", "invalid_arguments", "stream"},
	} {
		t.Run(row.tool+": "+name, func(t *testing.T) {
			refusedInSilence(t, row.tool, row.arguments, row.param, row.code, row.says)
		})
	}
}

// refusedInSilence sends a call through the whole pipeline and expects a refusal, with nothing read.
func refusedInSilence(t *testing.T, tool, arguments, param string, code rs.Code, says string) {
	t.Helper()
	var server middlewaretest.RS
	reply, err := standard(&server)(as(t.Context(), auth.KindClient), tools.Call{Tool: toolNamed(t, tool), Raw: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	if heard := server.Lines(); len(heard) != 0 {
		t.Errorf("the resource server heard %q", heard)
	}
	text := textOf(t, reply.Result)
	data, err := json.Marshal(reply.Result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Error struct{ Code, Message, Hint, Param string } `json:"error"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	e := document.Error
	if !reply.Result.IsError || e.Code != string(code) || e.Param != param {
		t.Errorf("isError %v, %s of %q; want %s of %q: %s", reply.Result.IsError, e.Code, e.Param, code, param, e.Message)
	}
	if !strings.Contains(e.Message, says) {
		t.Errorf("the message does not say %s: %s", says, e.Message)
	}
	if e.Hint == "" {
		t.Error("no way out is shown")
	}
	for _, part := range []string{e.Code, e.Hint} {
		if !strings.Contains(text, part) {
			t.Errorf("the text does not say %s: %s", part, text)
		}
	}
	if len(text) > 2048 || len(data) > 4096 {
		t.Errorf("%d bytes of text, %d of structure", len(text), len(data))
	}
}
