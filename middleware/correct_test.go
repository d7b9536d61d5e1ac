package middleware_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// correctable is a scripted resource server that refuses unknown names as the reference implementation does.
func correctable() *middlewaretest.RS {
	const schema = `{"detail":"compact","connectors":[` +
		`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_1","display_name":"Work mail"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"subject":"t=text,role=primary-title,eq,lex","received_at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time",` +
		`"thread_id":"t=string,a=group_by","size_bytes":"t=integer,eq,r=gte|gt|lte|lt,a=sum|max","to":"t=array","tags":"t=array,lex"},"expand_capabilities":[{"name":"attachments","stream":"attachments","max_limit":50}]},` +
		`{"name":"attachments","field_capabilities":{"body_text":"t=text,lex"}}]},` +
		`{"connector_key":"notes","granted_connections":[{"connection_id":"cin_2","display_name":"Notebook"}],"streams":[{"name":"notes"}]}]}`
	page := func(r rs.Request) (*rs.Response, error) {
		refuse := func(status int, code rs.Code, message string) (*rs.Response, error) {
			return nil, &rs.Error{Code: code, Status: status, Message: message, Quoted: true, Envelope: json.RawMessage(`{"code":"` + string(code) + `"}`)}
		}
		connection := r.Query.Get("connection_id")
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case !strings.HasPrefix(r.Path, "/v1/streams/messages/"):
			return refuse(401, "context.stream_not_allowed", "Token introspection failed closed")
		case connection != "" && connection != "cin_1":
			return refuse(401, "context.instance_mismatch", "Token introspection failed closed")
		case r.Query.Get("filter[received_at][lt]") != "":
			return nil, &rs.Error{
				Code:    "invalid_request",
				Status:  400,
				Message: "filter[...] is not supported for client-token reads",
				Param:   "filter",
				Quoted:  true,
			}
		case r.Query.Has("changes_since"):
			return refuse(400, "invalid_cursor", "Unknown cursor")
		case r.Query.Get("count") == "estimated":
			return refuse(400, "invalid_request", "count must be one of exact, none")
		case r.Query.Get("metric") == "count_distinct", r.Query.Get("group_by") == "subject":
			return refuse(400, "invalid_request", "not declared")
		case r.Query.Has("filter[subjet]"), r.Query.Get("fields") == "body", r.Query.Get("field") == "size":
			return refuse(400, "unknown_field", "Unknown field")
		case strings.ContainsAny(r.Query.Get("filter[received_at][gte]")+r.Query.Get("filter[subject][gte]"), "/ "), r.Query.Get("filter[received_at][gte]") == "2026-02-30":
			return refuse(400, "invalid_request", "not a timestamp")
		}
		if r.Path == "/v1/streams/messages/records/m1" {
			return middlewaretest.JSON(`{"object":"record","id":"m1","stream":"messages","data":{"subject":"Tax"}}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[{"id":"m1","stream":"messages","data":{"subject":"Tax"}}]}`), nil
	}
	return &middlewaretest.RS{Answer: page}
}

// Each row has a call, what the text of its answer must contain, and the reads that the resource server receives.
func TestCorrect(t *testing.T) {
	const records, whole = "/v1/streams/messages/records", "/v1/schema?view=compact"
	for name, row := range map[string]struct {
		tool, arguments string
		says            []string // of an error; none for an answer
		heard           []string
	}{
		"a number in quotes is a number":           {"query_records", `{"stream":"messages","limit":"10"}`, nil, []string{records + "?limit=10"}},
		"a common name of an argument is that one": {"query_records", `{"stream":"messages","page_size":5}`, nil, []string{records + "?limit=5"}},
		"an operator of another language is ours":  {"query_records", `{"stream":"messages","filter":{"size_bytes":{"$gte":1,"<":9}}}`, nil, []string{records + "?filter[size_bytes][gte]=1&filter[size_bytes][lt]=9"}},
		"a direction beside its field is a '-'":    {"query_records", `{"stream":"messages","sort":"size_bytes desc"}`, nil, []string{records + "?sort=-size_bytes"}},
		"fields between commas are a list":         {"query_records", `{"stream":"messages","fields":"subject, size_bytes"}`, nil, []string{records + "?fields=subject&fields=size_bytes"}},
		"a URL of a record is its id": {
			"fetch", `{"id":"https://rs.example/v1/streams/messages/records/m1?connection_id=cin_1","fields":["a"]}`, nil,
			[]string{"/v1/streams/messages/records/m1?connection_id=cin_1&fields=a"},
		},
		"a handle in a filter on an id is that id": {
			"query_records", `{"stream":"messages","filter":{"id":"cin_1/messages:m1"}}`, nil,
			[]string{records + "?connection_id=cin_1&filter[id]=m1"},
		},
		"so is one with a slash, of another stream": {
			"query_records", `{"stream":"messages","filter":{"order_id":"pdpp://record/cin_1/orders/2026%2F1"}}`, nil,
			[]string{records + "?connection_id=cin_1&filter[order_id]=2026/1"},
		},
		"a handle of another connection stays": {
			"query_records", `{"stream":"messages","connection_id":"cin_1","filter":{"id":"cin_2/messages:m1"}}`, nil,
			[]string{records + "?connection_id=cin_1&filter[id]=cin_2/messages:m1"},
		},
		"what another field holds is no handle": {
			"query_records", `{"stream":"messages","filter":{"subject":"cin_1/messages:m1"}}`, nil,
			[]string{records + "?filter[subject]=cin_1/messages:m1"},
		},
		"a name and its other name may be the same":    {"query_records", `{"stream":"messages","limit":5,"page_size":5}`, nil, []string{records + "?limit=5"}},
		"a display name is the id of its connection":   {"query_records", `{"stream":"messages","connection_id":"work MAIL"}`, nil, []string{records + "?connection_id=work MAIL", whole, records + "?connection_id=cin_1"}},
		"what is not certain is proposed, not taken":   {"query_records", `{"stream":"messages","limit":500}`, []string{"invalid_arguments: ", `send: query_records {"stream":"messages","limit":100}`}, nil},
		"two names that disagree are refused":          {"query_records", `{"stream":"messages","limit":5,"page_size":6}`, []string{`Unknown argument "page_size"`, `send: query_records {"stream":"messages","limit":5}`}, nil},
		"what has no place in the call is said":        {"query_records", `{"stream":"messages","having":"subject"}`, []string{"The call below leaves out having.", `send: query_records {"stream":"messages"}`}, nil},
		"a list that is computed is an aggregate":      {"query_records", `{"stream":"messages","distinct":"subject"}`, []string{"query_records lists records; aggregate computes.", `send: aggregate {"stream":"messages","group_by":"subject","metric":"count"}`}, nil},
		"so are groups under another name":             {"query_records", `{"stream":"messages","by":"thread_id"}`, []string{`send: aggregate {"stream":"messages","group_by":"thread_id","metric":"count"}`, "!leaves out"}, nil},
		"a month that no field names is one of time":   {"query_records", `{"stream":"messages","month":"June 2026","limit":2}`, []string{`send: search {"streams":["messages"],"since":"2026-06-01","until":"2026-06-30","limit":2}`, "!leaves out"}, nil},
		"what is excluded is said, not left out":       {"query_records", `{"stream":"messages","exclude":{"subject":"a"}}`, []string{`No filter excludes a value: the call below lists those of subject`, `send: aggregate {"stream":"messages","metric":"count","group_by":"subject"}`, "!leaves out"}, nil},
		"no call below is said that is another":        {"query_records", `{"stream":"messages","filter":{"subject":{"ne":"a"}},"since":"2026-05-01"}`, []string{`send: schema {"stream":"messages"}`, "!the call below lists"}, nil},
		"groups that are named by what they are by":    {"aggregate", `{"stream":"messages","sum":"size_bytes","by":"subject"}`, []string{`send: aggregate {"stream":"messages","metric":"sum","group_by":"subject","field":"size_bytes"}`}, nil},
		"the owner of the mail is the one of the data": {"query_records", `{"stream":"messages","userId":"me"}`, nil, []string{records}},
		"another user is said to be left out": {
			"aggregate", `{"stream":"messages","metric":"count","user":"Anna"}`,
			[]string{`send: aggregate {"stream":"messages","metric":"count"}`, "The call below leaves out user."}, []string{"/v1/schema?stream=messages&view=compact"},
		},
		"measures beside a metric are said to be left out": {
			"aggregate", `{"stream":"messages","metric":"count","measures":["messages.size"]}`,
			[]string{`send: aggregate {"stream":"messages","metric":"count"}`, "The call below leaves out measures."}, []string{"/v1/schema?stream=messages&view=compact"},
		},
		"the user of a search is words": {
			"search", `{"q":"tax","user":"Anna"}`, []string{`send: search {"q":"tax Anna"}`, `as words, in any field: "from:Anna"`}, []string{whole},
		},
		"the largest are not the newest": {
			"query_records", `{"stream":"messages","order":"largest"}`, []string{`order cannot be "largest"`, "leaves out order"}, nil,
		},
		"the largest of a field are its sort": {"query_records", `{"stream":"messages","sort":"size_bytes","order":"largest"}`, nil, []string{records + "?sort=-size_bytes"}},
		"of several values to exclude, one call excludes the first": {
			"aggregate", `{"stream":"messages","metric":"count","filter":{"thread_id":{"ne":"a"},"subject":{"ne":"b"}}}`,
			[]string{"by the first of the fields alone, not by subject", `send: aggregate {"stream":"messages","metric":"count","group_by":"thread_id"}`}, nil,
		},
		"a period of an aggregate is no granularity": {
			"aggregate", `{"stream":"messages","metric":"count","period":"2026"}`,
			[]string{`send: aggregate {"stream":"messages","metric":"count","filter":{"received_at":{"gte":"2026-01-01","lte":"2026-12-31"}}}`}, []string{"/v1/schema?stream=messages&view=compact"},
		},
		"pages have no numbers": {"query_records", `{"stream":"messages","limit":5,"page":2}`, []string{`Unknown argument "page"`, "Pages have no numbers", `send: query_records {"stream":"messages","limit":5}`}, nil},
		"a stream that is another connection's is read there": {
			"query_records", `{"stream":"note","connection_id":"cin_1","limit":1}`,
			[]string{`no stream "note" in this grant. Nearest: notes (Notebook).`, `send: query_records {"stream":"notes","connection_id":"cin_2","limit":1}`},
			[]string{"/v1/streams/note/records?connection_id=cin_1&limit=1", whole},
		},
		"a time of what has none is that of the records that it is a part of": {
			"search", `{"since":"2026-03-01T10:00","until":"2026-03-01T12:00","streams":["attachments"],"time_zone":"Europe/Oslo"}`,
			[]string{"No stream of these says when its records are.", `send: query_records {"stream":"messages","filter":{"received_at":{"gte":"2026-03-01T10:00:00+01:00","lte":"2026-03-01T12:00:00+01:00"}},"expand":["attachments"],"time_zone":"Europe/Oslo"}`},
			[]string{whole},
		},
		"an id keeps its connection, which has one stream": {
			"fetch", `{"id":"cin_2/messages:note-0036"}`,
			[]string{`connection "cin_2" has no stream "messages". It has: notes.`, `send: fetch {"id":"cin_2/notes:note-0036"}`},
			[]string{"/v1/schema?connection_id=cin_2&stream=messages&view=compact", "/v1/streams/messages/records/note-0036?connection_id=cin_2", "/v1/schema?view=compact"},
		},
		"a connection and its stream are no record: their records are listed": {
			"fetch", `{"id":"cin_1/messages"}`, []string{"without a record", `send: query_records {"stream":"messages","connection_id":"cin_1"}`}, nil,
		},
		"so are those with a colon": {
			"fetch", `{"id":"cin_1:messages"}`, []string{"without a record", `send: query_records {"stream":"messages","connection_id":"cin_1"}`},
			[]string{"/v1/schema?stream=cin_1&view=compact", "/v1/streams/cin_1/records/messages", whole},
		},
		"a month is no field to group by": {
			"aggregate", `{"stream":"messages","metric":"count","group_by_time":"month"}`,
			[]string{"group_by_time is the field with the time; a month is its granularity.", `send: schema {"stream":"messages"}`}, nil,
		},
		"a cursor alone is no search": {"search", `{"cursor":"abc"}`, []string{"Send a cursor with the arguments of its search"}, nil},
		"the address of an attachment is no record": {
			"fetch", `{"id":"pdpp://blob/eyJ2IjoxfQ"}`, []string{"invalid_id: ", "attachment's bytes", "Fetch the record that it was printed for", "!send: "}, nil,
		},
		"words are looked for by a search": {
			"query_records", `{"stream":"notes","q":"passport","limit":1}`, []string{`send: search {"q":"passport","streams":["notes"],"limit":1}`}, nil,
		},
		"a search for words keeps the filter": {
			"query_records", `{"stream":"notes","query":"passport","filter":{"language":"en"}}`,
			[]string{`send: search {"q":"passport","streams":["notes"],"filter":{"language":"en"}}`}, nil,
		},
		"no aggregate counts words": {"aggregate", `{"stream":"notes","q":"passport","metric":"count"}`, []string{"search finds the records", `send: search {"q":"passport","streams":["notes"]}`}, nil},
		"what has no value is a group": {
			"aggregate", `{"stream":"messages","metric":"count","filter":{"subject":null,"size_bytes":1}}`,
			[]string{"the group null is the records without subject", `send: aggregate {"stream":"messages","metric":"count","filter":{"size_bytes":1},"group_by":"subject","limit":100}`}, nil,
		},
		"no records are asked for by what they lack": {
			"query_records", `{"stream":"messages","filter":{"subject":{"exists":false}}}`, []string{"No filter finds what has no value: the call below does without that condition", `send: query_records {"stream":"messages"}`}, nil,
		},
		"records that lack a field are found where it is shown": {
			"query_records", `{"stream":"messages","filter":{"subject":null,"size_bytes":1},"fields":["from"],"limit":3}`,
			[]string{`send: query_records {"stream":"messages","fields":["from","subject"],"limit":100,"filter":{"size_bytes":1}}`}, nil,
		},
		"a condition that is not understood is not dropped": {"query_records", `{"stream":"messages","filter":{"subject":{"room":{"label":"x"}}}}`, []string{"invalid_filter: ", "!send: "}, nil},
		"an exclusion keeps the other conditions and the number": {
			"aggregate", `{"stream":"messages","metric":"sum","field":"size_bytes","filter":{"subject":{"ne":"a"},"size_bytes":1}}`,
			[]string{`send: aggregate {"stream":"messages","metric":"sum","field":"size_bytes","filter":{"size_bytes":1},"group_by":"subject"}`}, nil,
		},
		"an operator that there is not is no field": {
			"query_records", `{"stream":"messages","filter":{"size_bytes":{"near":9}}}`, []string{"invalid_filter: ", "!send: "}, nil,
		},
		"records without a value are those of each of the others": {
			"query_records", `{"stream":"messages","filter":{"thread_id":{"ne":"a"}}}`,
			[]string{`then send query_records for each other one, with {"thread_id":"VALUE"} in filter.`, `send: aggregate {"stream":"messages","metric":"count","group_by":"thread_id"}`}, nil,
		},
		"of several metrics the first is sent": {
			"aggregate", `{"stream":"messages","metric":["total","count"],"field":"size_bytes"}`,
			[]string{"a call for each of the 2", `send: aggregate {"stream":"messages","metric":"sum","field":"size_bytes"}`}, nil,
		},
		"of several groups the others are for a filter": {
			"aggregate", `{"stream":"messages","metric":"count","group_by":["thread_id","subject"]}`,
			[]string{"aggregate takes one group_by. For all of these, send a call for each value of subject in filter.", `send: aggregate {"stream":"messages","metric":"count","group_by":"thread_id"}`}, nil,
		},
		"amounts by a field and their unit are grouped by the field": {
			"aggregate", `{"stream":"messages","metric":"sum","field":"size_bytes","group_by":["currency","thread_id"]}`,
			[]string{"aggregate takes one group_by. Amounts come apart by currency in each group anyway.\n", `send: aggregate {"stream":"messages","metric":"sum","field":"size_bytes","group_by":"thread_id"}`}, nil,
		},
		"a median is worked out of the values": {
			"aggregate", `{"stream":"messages","metric":"median","field":"size_bytes","filter":{"subject":"a"}}`,
			[]string{"lists the values in their order", "!leaves out", `send: query_records {"stream":"messages","filter":{"subject":"a"},"fields":["size_bytes"],"sort":"size_bytes","limit":100}`}, nil,
		},
		"groups have the order of their numbers": {
			"aggregate", `{"stream":"messages","metric":"sum","field":"size_bytes","group_by":"thread_id","order_by":"size_bytes"}`,
			[]string{"Groups are in the order of their numbers", `"group_by":"thread_id"}`}, nil,
		},
		"groups are sorted by nothing else": {
			"aggregate", `{"stream":"messages","metric":"count","group_by":"thread_id","sort":"-subject"}`,
			[]string{"Groups are in the order of their numbers", "leaves out sort", `send: aggregate {"stream":"messages","metric":"count","group_by":"thread_id"}`}, nil,
		},
		"a day that there is not is the last of its month": {
			"search", `{"q":"a","until":"2026-02-30"}`, []string{`no day "2026-02-30"`, `send: search {"q":"a","until":"2026-02-28"}`}, nil,
		},
		"an address elsewhere is no id": {
			"fetch", `{"id":"https://mail.example/#inbox/18c2"}`, []string{"address of a page", `send: search {"q":"https://mail.example/#inbox/18c2"}`, "!pdpp://"}, nil,
		},
		"an id behind the beginning of another is that id": {
			"fetch", `{"id":"cin_1/messages:pdpp://record/cin_1/messages/m1"}`, nil,
			[]string{
				"/v1/schema?connection_id=cin_1&stream=messages&view=compact", "/v1/schema?connection_id=cin_1&stream=attachments&view=compact",
				records + "/m1?connection_id=cin_1",
			},
		},
		"a filter without words is of records": {
			"search", `{"streams":["messages"],"filter":{"subject":"a"}}`, []string{`send: query_records {"filter":{"subject":"a"},"stream":"messages"}`}, nil,
		},
		"words with the sign of a condition are one": {
			"query_records", `{"stream":"messages","q":"subject:\"a b\" AND size_bytes:9"}`,
			[]string{`send: query_records {"stream":"messages","filter":{"subject":"a b","size_bytes":9}}`}, nil,
		},
		"a person is no time": {
			"query_records", `{"stream":"messages","from":"Tom Hale"}`, []string{`messages has no field "from"`, `send: schema {"stream":"messages"}`},
			[]string{"/v1/schema?stream=messages&view=compact"},
		},
		"a metric that there is not is no count": {"aggregate", `{"stream":"messages","metric":"entropy","field":"size_bytes"}`, []string{"Send one of: count, sum", "!send: "}, nil},
		"no other field groups for one that cannot": {
			"aggregate", `{"stream":"messages","metric":"count","group_by":"subject"}`, []string{"cannot group. Those that can: thread_id.", `send: query_records {"stream":"messages","fields":["subject"],"limit":100}`},
			[]string{"/v1/streams/messages/aggregate?group_by=subject&limit=100&metric=count", "/v1/schema?stream=messages&view=compact"},
		},
		"a bounded count's groups of time are of the field that says when": {
			"aggregate", `{"stream":"messages","metric":"count","granularity":"month","until":"2026-01"}`,
			[]string{`"granularity":"month","filter":{"received_at":{"lte":"2026-01-31"}},"group_by_time":"received_at"}`},
			[]string{"/v1/schema?stream=messages&view=compact"},
		},
		"a field of what is related is read there": {
			"fetch", `{"id":"cin_1/messages:m1","fields":["body"]}`,
			[]string{`unknown_field: messages has no field "body"; the related attachments has it as body_text.`, `send: fetch {"id":"cin_1/messages:m1","expand":["attachments"]}`},
			[]string{
				"/v1/streams/messages/records/m1?connection_id=cin_1&fields=body",
				"/v1/schema?connection_id=cin_1&stream=messages&view=compact", "/v1/schema?connection_id=cin_1&view=compact",
			},
		},
		"a range that ends before it begins is turned round": {
			"query_records", `{"stream":"messages","filter":{"size_bytes":{"gt":9,"lte":1}}}`,
			[]string{`invalid_filter: the range of "size_bytes" ends before it begins: gt 9, lte 1.`, `send: query_records {"stream":"messages","filter":{"size_bytes":{"gt":1,"lte":9}}}`}, nil,
		},
		"a query without a word lists what is newest": {
			"search", `{"q":"*","streams":["messages"]}`, []string{`q "*" has no word to look for.`, `send: search {"streams":["messages"],"since":"`}, nil,
		},
		"so is a period": {
			"search", `{"q":"a","since":"2026-06-30","until":"2026-06-01"}`, []string{`send: search {"q":"a","since":"2026-06-01","until":"2026-06-30"}`}, nil,
		},
		"a filter without a stream is of the one that has its fields": {
			"query_records", `{"filter":{"subject":"a"}}`, []string{"stream is required", `send: query_records {"filter":{"subject":"a"},"stream":"messages"}`}, []string{whole},
		},
		"of alternatives the first is sent": {
			"query_records", `{"stream":"messages","filter":"subject = 'tax' or subject = 'rent'"}`,
			[]string{"invalid_filter: ", "a call for each of the 2; the one below is the first", `send: query_records {"stream":"messages","filter":{"subject":"tax"}}`}, nil,
		},
		"a range that no value is in is not turned round": {
			"query_records", `{"stream":"messages","filter":"size_bytes > 50 and size_bytes < 10"}`, []string{"No value of size_bytes fulfils all of these", "!send: "}, nil,
		},
		"a value that is no value is none": {
			"query_records", `{"stream":"messages","filter":"subject is not null and size_bytes > 5"}`,
			[]string{"No filter finds what has any value: the call below does without that condition", `send: query_records {"stream":"messages","filter":{"size_bytes":{"gt":5}}}`}, nil,
		},
		"words within quotes are a value": {
			"query_records", `{"stream":"messages","filter":"subject = 'tax or rent' and size_bytes > 5"}`,
			[]string{`send: query_records {"stream":"messages","filter":{"subject":"tax or rent","size_bytes":{"gt":5}}}`}, nil,
		},
		"two bounds of one field stay two": {
			"query_records", `{"stream":"messages","filter":{"subjet":"a","size_byte":{"gte":1},"sizebytes":{"lt":9}}}`,
			[]string{`"size_bytes":{"gte":1,"lt":9}`}, []string{records + "?filter[size_byte][gte]=1&filter[sizebytes][lt]=9&filter[subjet]=a", "/v1/schema?stream=messages&view=compact"},
		},
		"two values of one field are not one": {
			"query_records", `{"stream":"messages","filter":{"subjet":"a","subjectt":"b"}}`, []string{"unknown_field: ", "!send: "},
			[]string{records + "?filter[subjectt]=b&filter[subjet]=a", "/v1/schema?stream=messages&view=compact"},
		},
		"a metric of distinct values is a number of them": {"aggregate", `{"stream":"messages","metric":"avg(distinct size_bytes)"}`, []string{"metric cannot be", "!send: "}, nil},
		"directions that disagree are not one":            {"query_records", `{"stream":"messages","sort":"-size_bytes asc"}`, nil, []string{records + "?sort=-size_bytes asc"}},
		"a list with what is no name is none":             {"search", `{"q":"tax","streams":"[\"messages\",{\"name\":\"events\"}]"}`, []string{"contains brackets"}, nil},
		"the same argument in two cases is refused":       {"query_records", `{"stream_name":"messages","Stream":"notes"}`, []string{"invalid_arguments: ", "The call below leaves out Stream."}, []string{"/v1/schema?stream=messages&view=compact"}},
		"an argument that is no field is left out":        {"query_records", `{"stream":"messages","tool":"query_records"}`, []string{"The call below leaves out tool.", `send: query_records {"stream":"messages"}`}, []string{"/v1/schema?stream=messages&view=compact"}},
		"a cursor is sent without quotes and full stop":   {"query_records", `{"stream":"messages","cursor":"\"abc\"."}`, nil, []string{records + "?cursor=abc"}},
		"a URL of a page has its cursor":                  {"query_records", `{"stream":"messages","cursor":"/v1/streams/messages/records?limit=3&cursor=a%2Bc"}`, nil, []string{records + "?cursor=a+c"}},
		"a statement with or is a call for each": {
			"query_records", `{"sql":"select * from messages where subject = 'tax' or subject = 'rent'"}`,
			[]string{"a call for each of the 2; the one below is the first", `send: query_records {"stream":"messages","filter":{"subject":"tax"}}`}, nil,
		},
		"a date that may be two days is neither": {
			"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"01/03/2026"}}}`, []string{`"01/03/2026" may be 2026-03-01 or 2026-01-03`, "!send: "},
			[]string{records + "?filter[received_at][gte]=01/03/2026", "/v1/schema?stream=messages&view=compact"},
		},
		"a part of a handle with a slash is that id": {
			"query_records", `{"stream":"messages","filter":{"order_id":"2026%2F0042"}}`, nil, []string{records + "?filter[order_id]=2026/0042"},
		},
		"no words are those of a period": {"search", `{"q":"","limit":2}`, []string{"q is empty.", "Without words a search needs since or until.", `send: search {"limit":2,"since":"20`}, nil},
		"what two arguments name is missed once": {
			"query_records", `{"stream":"messages","filter":{"subjet":"a"},"fields":["subjet"]}`,
			[]string{`unknown_field: messages has no field "subjet". Nearest: subject.` + "\n"}, []string{records + "?fields=subjet&filter[subjet]=a", "/v1/schema?stream=messages&view=compact"},
		},
		"no words and a period is what happened in it": {"search", `{"q":" ","since":"2026-06-01"}`, []string{`send: search {"since":"2026-06-01"}`}, nil},
		"a time of no certain form is not replaced":    {"search", `{"q":"a","since":"03/04/2026"}`, []string{"since cannot be", "!send: "}, nil},
		"a call of another tool is proposed in the form which that takes": {
			"query_records", `{"stream":"m","q":"lease","limit":500,"since":"last month"}`, []string{`send: search {"q":"lease","streams":["m"],"limit":100,"since":"20`}, nil},
		"a time by its distance from today is proposed": {"search", `{"q":"a","since":"last month"}`, []string{"since cannot be", `send: search {"q":"a","since":"20`}, nil},
		"a whole time as one bound has both, which is said": {
			"search", `{"q":"a","since":"last month"}`, []string{`is of that time alone; leave out until`, `"until":"20`}, nil,
		},
		"two days are one, too":           {"search", `{"q":"a","date_range":"2026-03-01..2026-03-10"}`, []string{`send: search {"q":"a","since":"2026-03-01","until":"2026-03-10"}`}, nil},
		"so are they between a slash":     {"search", `{"q":"a","week":"2026-03-01/2026-03-10"}`, []string{`"since":"2026-03-01","until":"2026-03-10"}`}, nil},
		"a time that lasts has one bound": {"search", `{"q":"a","period":"3 weeks"}`, []string{`send: search {"q":"a","since":"20`, `!"until":`}, nil},
		"so has one that only ends":       {"search", `{"q":"a","when":"until May"}`, []string{`send: search {"q":"a","until":"20`, `-05-31"}`, `!"since":`}, nil},
		"so has one that only begins":     {"search", `{"q":"a","on":"after 2026-03-01"}`, []string{`send: search {"q":"a","since":"2026-03-02"}`}, nil},
		"one time is a period":            {"search", `{"q":"a","date":"last month"}`, []string{`send: search {"q":"a","since":"20`, `,"until":"20`}, nil},
		"so is one of another language":   {"search", `{"q":"a","when":"März 2026"}`, []string{`"since":"2026-03-01","until":"2026-03-31"`}, nil},
		"so is one of groups": {
			"aggregate", `{"stream":"messages","metric":"count","on":"7d"}`,
			[]string{`send: aggregate {"stream":"messages","metric":"count","filter":{"received_at":{"gte":"20`}, []string{"/v1/schema?stream=messages&view=compact"},
		},
		"so are two days of groups": {
			"aggregate", `{"stream":"messages","metric":"count","range":"2026-03-01 to 2026-03-10"}`,
			[]string{`"filter":{"received_at":{"gte":"2026-03-01","lte":"2026-03-10"}}}`}, []string{"/v1/schema?stream=messages&view=compact"},
		},
		"a feast is no date, which is said": {"search", `{"q":"a","date":"Diwali"}`, []string{`No days are known of date "Diwali": send them as since and until`}, nil},
		"a season is proposed, and said to be of the north": {
			"search", `{"q":"a","period":"summer 2025"}`, []string{"In the south it is half a year apart.", `send: search {"q":"a","since":"2025-06-01","until":"2025-08-31"}`}, nil,
		},
		"a time of day is none of days":          {"search", `{"q":"a","period":"at night"}`, []string{"A time of day bounds no search."}, nil},
		"a part of a month is read without year": {"search", `{"q":"a","since":"mid March"}`, []string{`send: search {"q":"a","since":"20`, `-03-11"`}, nil},
		"a name is no bound of a time": {
			"search", `{"q":"a","from":"Anna"}`, []string{"No argument is from: filter compares", `send: search {"q":"a Anna"}`}, []string{whole},
		},
		"operators keep their times without a year": {
			"search", `{"q":"dentist before:june after:january"}`, []string{`send: search {"q":"dentist","until":"20`, `-05-31","since":"20`, `-01-01"}`}, []string{whole},
		},
		"so is the end of a period":                {"search", `{"q":"a","until":"last month"}`, []string{"until cannot be", `send: search {"q":"a","until":"20`}, nil},
		"a list of values has no or":               {"query_records", `{"stream":"messages","filter":{"subject":{"in":["a","b"]}}}`, []string{"invalid_filter: ", "a call for each of the 2; the one below is the first", `send: query_records {"stream":"messages","filter":{"subject":"a"}}`}, nil},
		"D9 a filter in a text is refused":         {"query_records", `{"stream":"messages","filter":"size_bytes >= 10"}`, []string{"invalid_filter: ", `send: query_records {"stream":"messages","filter":{"size_bytes":{"gte":10}}}`}, nil},
		"a text within a field is a search":        {"query_records", `{"stream":"messages","filter":{"subject":{"contains":"tax"}}}`, []string{`send: search {"q":"tax","streams":["messages"]}`}, []string{"/v1/schema?stream=messages&view=compact"}},
		"a range that ends before it begins":       {"query_records", `{"stream":"messages","filter":{"size_bytes":{"gt":9,"lt":5}}}`, []string{`the other way round`, `send: query_records {"stream":"messages","filter":{"size_bytes":{"gt":5,"lt":9}}}`}, nil},
		"a bound of a time is one of a search":     {"query_records", `{"stream":"messages","from":"2026/01/01"}`, []string{`Unknown argument "from"`, `send: search {"streams":["messages"],"since":"2026-01-01"}`}, nil},
		"a bound of a count needs the field of it": {"aggregate", `{"stream":"messages","metric":"count","since":"2026-01-01"}`, []string{`Unknown argument "since"`, `send: aggregate {"stream":"messages","metric":"count","filter":{"received_at":{"gte":"2026-01-01"}}}`}, []string{"/v1/schema?stream=messages&view=compact"}},
		"the fields of a stream that is meant are its own": {
			"query_records", `{"stream":"message","fields":["subjct"]}`,
			[]string{`no stream "message" in this grant`, `messages has no field "subjct". Nearest: subject.`, `send: query_records {"stream":"messages","fields":["subject"]}`},
			[]string{"/v1/streams/message/records?fields=subjct", whole},
		},
		"a stream in the singular is named":        {"query_records", `{"stream":"message","limit":3}`, []string{`unknown_stream: no stream "message" in this grant. Nearest: messages (Work mail).`, `send: query_records {"stream":"messages","limit":3}`}, []string{"/v1/streams/message/records?limit=3", whole}},
		"what the server said is not the headline": {"query_records", `{"stream":"message"}`, []string{"unknown_stream: no stream", "!introspection"}, []string{"/v1/streams/message/records", whole}},
		"what a token may not do is said, not looked up": {"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026-03-01","lt":"2026-04-01"}}}`,
			[]string{`"filter[...] is not supported for client-token reads"`, `send: search {"since":"2026-03-01","until":"2026-03-31","streams":["messages"]}`},
			[]string{"/v1/schema?stream=messages&view=compact", records + "?filter[received_at][gte]=2026-03-01&filter[received_at][lt]=2026-04-01"}},
		"a connection that does not have the stream": {"query_records", `{"stream":"messages","connection_id":"cin_2"}`, []string{`connection "cin_2" has no stream "messages". It is under cin_1 "Work mail".`, `send: query_records {"stream":"messages","connection_id":"cin_1"}`}, []string{records + "?connection_id=cin_2", whole}},
		"a field with a letter missing is named":     {"query_records", `{"stream":"messages","filter":{"subjet":"a"}}`, []string{`unknown_field: messages has no field "subjet". Nearest: subject.`, `send: query_records {"stream":"messages","filter":{"subject":"a"}}`}, []string{records + "?filter[subjet]=a", "/v1/schema?stream=messages&view=compact"}},
		"a field for the metric is named":            {"aggregate", `{"stream":"messages","metric":"sum","field":"size"}`, []string{"Nearest: size_bytes.", `send: aggregate {"stream":"messages","metric":"sum","field":"size_bytes"}`}, []string{"/v1/streams/messages/aggregate?field=size&metric=sum", "/v1/schema?stream=messages&view=compact"}},
		"a count that is not estimated is exact":     {"query_records", `{"stream":"messages","count":"estimated"}`, []string{`send: query_records {"stream":"messages","count":"exact"}`}, []string{records + "?count=estimated"}},
		"a metric that no field takes is said once":  {"aggregate", `{"stream":"messages","metric":"count_distinct","field":"subject"}`, []string{`field "subject" of messages cannot take count_distinct. No field of it can.`, "\nmetric count needs no field; query_records shows the values.\n", "!field field"}, []string{"/v1/streams/messages/aggregate?field=subject&metric=count_distinct", "/v1/schema?stream=messages&view=compact"}},
		"what is wrong with a call that names its connection by its name is explained": {
			"query_records", `{"stream":"messages","connection_id":"Work mail","filter":{"subjet":"a"}}`,
			[]string{`unknown_field: messages has no field "subjet". Nearest: subject.`, `send: query_records {"stream":"messages","connection_id":"cin_1","filter":{"subject":"a"}}`},
			[]string{records + "?connection_id=Work mail&filter[subjet]=a", whole, records + "?connection_id=cin_1&filter[subjet]=a", "/v1/schema?connection_id=cin_1&stream=messages&view=compact", "/v1/schema?stream=messages&view=compact"},
		},
		"an id may name its connection by its name": {"read_record_field", `{"id":"Notebook/messages:m1","field":"subject"}`, []string{`connection "cin_2" has no stream "messages"`}, []string{records + "/m1/field-window?connection_id=Notebook&field=subject", whole, records + "/m1/field-window?connection_id=cin_2&field=subject"}},
		"operators of a mail program are words":     {"search", `{"q":"from:anna tax"}`, []string{`send: search {"q":"tax anna"}`}, []string{whole}},
		"what is only looked up leaves nothing out": {"aggregate", `{"metric":"count"}`, []string{"schema lists the streams.\nsend: schema {}"}, nil},
		"a time by its distance from today is refused": {
			"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"last month"}}}`, []string{"Today is 20", `{"received_at":{"gte":"20`},
			[]string{records + "?filter[received_at][gte]=last month", "/v1/schema?stream=messages&view=compact"},
		},
		"arguments within a filter are mended as well": {
			"query_records", `{"stream":"messages","filter":{"fields":["subjet"],"received_at":{"gte":"last month"}}}`,
			[]string{"Nearest: subject.", `send: query_records {"stream":"messages","fields":["subject"],"filter":{"received_at":{"gte":"20`},
			[]string{records + "?filter[fields]=subjet&filter[received_at][gte]=last month", "/v1/schema?stream=messages&view=compact"},
		},
		"no search below is said for no words":       {"fetch", `{"since":"2026-03-01","q":"*"}`, []string{`Unknown argument "since", "q".`, "!below", "!send: "}, nil},
		"arguments that were left out are explained": {"query_records", `null`, []string{"stream is required.", "send: schema {}"}, nil},
		"a day is no cursor of changes": {
			"query_records", `{"stream":"messages","changes_since":"2026-03-01"}`,
			[]string{"changes_since is no date", `send: query_records {"stream":"messages","filter":{"received_at":{"gte":"2026-03-01"}}}`},
			[]string{records + "?changes_since=2026-03-01", "/v1/schema?stream=messages&view=compact"},
		},
		"a day that there is not is said": {
			"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026-02-30"}}}`,
			[]string{`no day "2026-02-30": that month ends with 2026-02-28`, `"gte":"2026-02-28"`}, []string{records + "?filter[received_at][gte]=2026-02-30", "/v1/schema?stream=messages&view=compact"},
		},
		"a date that was refused is read":            {"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026/03/01"}}}`, []string{`invalid_request: "not a timestamp"`, `"gte":"2026-03-01"`, "!There is no day"}, []string{records + "?filter[received_at][gte]=2026/03/01", "/v1/schema?stream=messages&view=compact"}},
		"another form helps no field without ranges": {"query_records", `{"stream":"messages","filter":{"subject":{"gte":"2026/03/01"}}}`, []string{`"subject" of messages cannot be filtered by a range.`, `!send: query_records {"stream":"messages","filter":{"subject"`}, []string{records + "?filter[subject][gte]=2026/03/01", "/v1/schema?stream=messages&view=compact"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := correctable()
			reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, row.tool, row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(t, reply.Result)
			if reply.Result.IsError != (row.says != nil) {
				t.Errorf("isError is %v: %s", reply.Result.IsError, text)
			}
			for _, says := range row.says {
				if lacks, ok := strings.CutPrefix(says, "!"); strings.Contains(text, strings.TrimPrefix(says, "!")) == ok {
					t.Errorf("%q of %q: %s", says, lacks, text)
				}
			}
			if diff := cmp.Diff(row.heard, server.Lines()); diff != "" {
				t.Error(diff)
			}
			if reply.Reads != len(row.heard) {
				t.Errorf("D28: %d reads are reported as %d", len(row.heard), reply.Reads)
			}
		})
	}
}

// The owner is asked to grant a missing field only if no related stream that is granted has that field.
func TestAFieldOfWhatIsRelatedIsNotAskedFor(t *testing.T) {
	terms := &auth.Terms{Connect: func(rs.Missing) []string { return []string{"pdpp-mcp connect messages"} }}
	for field, asks := range map[string]bool{"body": false, "importance": true} {
		server := correctable()
		answer := server.Answer
		server.Answer = func(r rs.Request) (*rs.Response, error) {
			if r.Query.Has("fields") {
				return nil, &rs.Error{Code: "field_not_granted", Status: 403, Message: "Not granted", Quoted: true}
			}
			return answer(r)
		}
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, Terms: terms})
		reply, err := standard(server)(ctx, callOf(t, "fetch", `{"id":"cin_1/messages:m1","fields":["`+field+`"]}`))
		if text := textOf(t, reply.Result); err != nil || strings.Contains(text, "pdpp-mcp connect") != asks {
			t.Errorf("%s: %s (%v)", field, text, err)
		}
	}
}

// If the resource server or a package refuses a call without saying what to send instead, the refusal proposes the next call.
func TestARefusalProposesTheNextCall(t *testing.T) {
	one := []rs.Connection{{ID: "cin_1", DisplayName: "Work mail"}}
	two := []rs.Connection{one[0], {ID: "cin_2"}}
	for name, row := range map[string]struct {
		tool, arguments string
		refused         rs.Error
		says            string
	}{
		"an expired cursor": {
			"query_records", `{"stream":"messages","limit":5,"cursor":"abc"}`, rs.Error{Code: "cursor_expired", Status: 410},
			`send: query_records {"stream":"messages","limit":5}`,
		},
		"an unknown cursor": {
			"query_records", `{"stream":"messages","limit":5,"cursor":"abc"}`, rs.Error{Code: "invalid_cursor", Status: 400},
			`send: query_records {"stream":"messages","limit":5}`,
		},
		"one connection of several": {
			"query_records", `{"stream":"messages"}`, rs.Error{Code: "ambiguous_connection", Status: 400, Connections: one, Hint: "Name it."},
			"Name it.\n" + `send: query_records {"stream":"messages","connection_id":"cin_1"}`,
		},
		"one connection of several for a record": {
			"fetch", `{"id":"messages:m1"}`, rs.Error{Code: "ambiguous_connection", Status: 400, Connections: one, Hint: "Name it."},
			"Name it.\n" + `send: fetch {"id":"messages:m1","connection_id":"cin_1"}`,
		},
		"a name that is refused here and is granted": {
			"query_records", `{"stream":"messages"}`, rs.Error{Code: "unknown_connection", Message: "No."}, "No.\nsend: schema {}",
		},
		"a name that is refused there and is granted": {
			"query_records", `{"stream":"messages"}`, rs.Error{Code: "unknown_connection", Status: 404, Message: "No.", Hint: "Wait."}, "Wait.",
		},
		"the first of several is not all": {
			"aggregate", `{"stream":"messages","metric":"count"}`, rs.Error{Code: "ambiguous_connection", Status: 400, Connections: two},
			"The call below is of the first alone: for all of them send it for each.\n" +
				`send: aggregate {"stream":"messages","metric":"count","connection_id":"cin_1"}`,
		},
		"a record may be in each of several": {
			"fetch", `{"id":"messages:m1"}`, rs.Error{Code: "ambiguous_connection", Status: 400, Connections: two},
			"The call below looks in the first alone: each may have a record of that id.\n" + `send: fetch {"id":"messages:m1","connection_id":"cin_1"}`,
		},
		"a directory has looked in none of them": {
			"fetch", `{"id":"messages:m1"}`, rs.Error{Code: "ambiguous_connection", Connections: two},
			"Name one connection_id.\n" + `connection_id=cin_1 "Work mail"`,
		},
		"a copied id that was percent-encoded": {
			"fetch", `{"id":"messages:2026%2F1"}`, rs.Error{Code: "not_found", Status: 404}, `send: fetch {"id":"pdpp://record/-/messages/2026%2F1"}`,
		},
		"an id of nothing in its stream": {"fetch", `{"id":"messages:2026-1"}`, rs.Error{Code: "not_found", Status: 404}, `send: search {"q":"2026-1"}`},
		"a title in place of an id": {
			"fetch", `{"id":"cin_1/messages:Tax return"}`, rs.Error{Code: "not_found", Status: 404},
			`send: search {"q":"Tax return","streams":["messages"]}`,
		},
		"a word that is no id": {"fetch", `{"id":"messages:latest"}`, rs.Error{Code: "not_found", Status: 404}, "not found either."},
		"a mode that there is not": {
			"search", `{"q":"tax","mode":"semantic"}`, rs.Error{Code: "search_mode_unavailable", Status: 400}, `send: search {"q":"tax"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				refused := row.refused
				return nil, &refused
			}}
			reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, row.tool, row.arguments))
			if err != nil || !strings.Contains(textOf(t, reply.Result), row.says+"\n") && !strings.HasSuffix(textOf(t, reply.Result), row.says) {
				t.Errorf("%v: %s", err, textOf(t, reply.Result))
			}
		})
	}
}

// S3-7a: an index takes two concurrent reads, and counts one or two if it fails.
func TestAnIndexCountsItsReads(t *testing.T) {
	server := correctable()
	reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, "schema", `{}`))
	if heard := server.Lines(); err != nil || len(heard) != 2 || reply.Reads != 2 || heard[0] == heard[1] {
		t.Errorf("D28: %q are reported as %d reads (%v)", heard, reply.Reads, err)
	}
}

// A proposal that moves a name to another argument checks it against the cached schema, without a read.
func TestAProposalFitsTheSchemaThatIsHeld(t *testing.T) {
	for sent, says := range map[string]string{
		`aggregate {"stream":"messages","metric":"count","size_bytes_over":9}`:                                           `send: aggregate {"stream":"messages","metric":"count","filter":{"size_bytes":{"gt":9}}}`,
		`aggregate {"stream":"messages","metric":"count","filter":{"thread":{"ne":"a"}}}`:                                `send: aggregate {"stream":"messages","metric":"count","group_by":"thread_id"}`,
		`aggregate {"stream":"messages","metric":"count","filter":{"subject":{"ne":"a"}}}`:                               `field "subject" of messages cannot group. Those that can: thread_id.`,
		`aggregate {"stream":"messages","metric":"count","filter":{"subject":{"contains":"tax"},"size_bytes":{"gt":9}}}`: `send: search {"q":"tax","streams":["messages"],"filter":{"size_bytes":{"gt":9}}}`,
		`search {"q":"tax","size_bytes__gt":9}`:                                                                          `send: search {"q":"tax","filter":{"size_bytes":{"gt":9}}}`,
		`search {"streams":["messages"],"month":"June 2026","filter":{"thread_id":{"contains":"a"}}}`:                    "For a part of one, aggregate with group_by lists the values of thread_id.",
		`aggregate {"stream":"messages","metric":"max","group_by":"thread_id"}`:                                          `send: aggregate {"stream":"messages","metric":"max","group_by":"thread_id","field":"size_bytes"}`,
		`aggregate {"stream":"messages","metric":"sum","field":"a[0]"}`:                                                  `send: schema {"stream":"messages"}`,
		`query_records {"stream":"messages","filter":{"thread_id":{"like":"%7%"},"size_bytes":9}}`:                       `send: aggregate {"stream":"messages","metric":"count","filter":{"size_bytes":9},"group_by":"thread_id","limit":100}`,
		`query_records {"stream":"messages","filter":{"size_bytes":{"contains":"7"}}}`:                                   `send: query_records {"stream":"messages"}`,
		`query_records {"stream":"messages","filter":{"subject":{"contains":"tax"}}}`:                                    `send: search {"q":"tax","streams":["messages"]}`,
		`query_records {"stream":"messages","filter":{"to":{"contains":"x"}},"fields":["subject"]}`:                      `send: query_records {"stream":"messages","fields":["subject","to"]}`,
		`search {"streams":["messages"],"filter":{"tags":"x","size_bytes":9}}`:                                           `send: search {"q":"x","streams":["messages"],"filter":{"size_bytes":9}}`,
		`aggregate {"stream":"messages","metric":"sum"}`:                                                                 "Of messages these take sum: size_bytes.\n" + `send: aggregate {"stream":"messages","metric":"sum","field":"size_bytes"}`,
		`aggregate {"stream":"messages","metric":"count","granularity":"day"}`:                                           `send: aggregate {"stream":"messages","metric":"count","granularity":"day","group_by_time":"received_at"}`,
		`query_records {"stream":"messages","filter":{"size_bytes":{"gt":9,"subject":"Tax"}}}`:                           `uses the operator "subject" on "size_bytes", which does not exist.`,
		`aggregate {"stream":"messages","metric":"count","fields":"a[0]","having":"count > 3"}`:                          `send: schema {"stream":"messages"}`,
		`read_record_field {"id":"messages:m1"}`:                                                                         `send: fetch {"id":"messages:m1"}`,
	} {
		server := correctable()
		serve, all := standard(server), tools.All(tools.Options{})
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, GrantID: "grant_1"})
		name, arguments, _ := strings.Cut(sent, " ")
		tool := all[0].Named(name)
		for _, call := range []tools.Call{{Tool: all[0], Raw: json.RawMessage(`{"stream":"messages"}`)}, {Tool: tool, Raw: json.RawMessage(arguments)}} {
			reads := len(server.Lines())
			reply, err := serve(ctx, call)
			if err != nil || call.Tool == tool && (!strings.Contains(textOf(t, reply.Result), says) || len(server.Lines()) != reads) {
				t.Errorf("%s: %s, after %v (%v)", arguments, textOf(t, reply.Result), server.Lines(), err)
			}
		}
	}
}

// A refusal for one connection lists only the fields of that connection, also when the call gives its display name.
func TestTheFieldsOfAConnectionAreItsOwn(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
		return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_1","display_name":"Mail"}],` +
			`"streams":[{"name":"messages","field_capabilities":{"thread":"t=string,eq,a=group_by","ts":"t=string,eq"}}]},{"connector_key":"slack",` +
			`"granted_connections":[{"connection_id":"cin_2","display_name":"Chat"}],"streams":[{"name":"messages","field_capabilities":{"user":"t=string,eq,a=group_by","ts":"t=string,eq"}}]}]}`), nil
	}}
	serve, all := standard(server), tools.All(tools.Options{})
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, GrantID: "grant_1"})
	for connection, fields := range map[string]string{`"connection_id":"chat",`: "user", `"connection_id":"cin_1",`: "thread", "": "thread, user"} {
		if _, err := serve(ctx, tools.Call{Tool: all[0], Raw: json.RawMessage(`{}`)}); err != nil {
			t.Fatal(err)
		}
		call := tools.Call{Tool: all[0].Named("aggregate"), Raw: json.RawMessage(`{"stream":"messages",` + connection + `"metric":"count","filter":{"ts":null}}`)}
		reply, err := serve(ctx, call)
		if says := `field "ts" of messages cannot group. Those that can: ` + fields + "."; err != nil || !strings.Contains(textOf(t, reply.Result), says) {
			t.Errorf("%s: no %s in %s (%v)", connection, says, textOf(t, reply.Result), err)
		}
	}
}

// S0-8a, D26: names that the directory of a package knows are corrected without a read of any member.
func TestCorrectAsksNoMemberOfAPackage(t *testing.T) {
	granted := []rs.GrantedStream{
		{Stream: "messages", Connection: rs.Connection{ID: "cin_1", DisplayName: "Work mail"}},
		{Stream: "notes", Connection: rs.Connection{ID: "cin_2", DisplayName: "Notebook"}},
	}
	ambiguous := &rs.Error{Code: "ambiguous_connection", Message: "Which?"}
	for sent, says := range map[string]string{
		`search {"q":"tax","streams":["message","notes"]}`:         `send: search {"q":"tax","streams":["messages","notes"]}`,
		`search {"q":"tax","streams":["dreams"]}`:                  `unknown_stream: no stream "dreams" in this grant. It has: messages, notes.`,
		`query_records {"stream":"messages","streams":["dreams"]}`: `invalid_arguments: Unknown argument "streams".`,
		`query_records {"stream":"message","expand":["threads"]}`:  `send: query_records {"stream":"messages","expand":["threads"]}`,
	} {
		server := new(middlewaretest.RS)
		p := auth.Principal{
			Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage,
			Package: scriptedPackage{RS: server, choose: ambiguous, granted: granted},
		}
		tool, arguments, _ := strings.Cut(sent, " ")
		reply, err := standard(server)(auth.WithPrincipal(t.Context(), p), callOf(t, tool, arguments))
		if err != nil || !strings.Contains(textOf(t, reply.Result), says) || len(server.Lines()) != 0 {
			t.Errorf("%s: %s, after %v (%v)", sent, textOf(t, reply.Result), server.Lines(), err)
		}
	}
}

// A stream of a connection that does not answer now is not reported as unknown: the search is sent, and the package reports the connection.
func TestWhatCannotBeReadNowIsNotMissing(t *testing.T) {
	server := new(middlewaretest.RS)
	p := auth.Principal{
		Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage,
		Package: scriptedPackage{RS: server, choose: &rs.Error{Code: "connection_unavailable", Message: "Later."}, granted: []rs.GrantedStream{{Stream: "notes"}}},
	}
	reply, err := standard(server)(auth.WithPrincipal(t.Context(), p), callOf(t, "search", `{"q":"tax","streams":["messages"]}`))
	asked := slices.ContainsFunc(server.Lines(), func(line string) bool { return strings.HasPrefix(line, "/v1/search?") })
	if err != nil || strings.Contains(textOf(t, reply.Result), "unknown_stream") || !asked {
		t.Errorf("%s, after %v (%v)", textOf(t, reply.Result), server.Lines(), err)
	}
}

// If several connections have a stream, a search accepts the display name of one of them, as any other call does.
func TestASearchOfAStreamTakesANamedConnection(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if id := r.Query.Get("connection_id"); id != "" && id != "cin_1" {
			return nil, &rs.Error{Code: "unknown_connection", Message: "No such connection."}
		}
		return middlewaretest.JSON(`{"object":"list","data":[{"stream":"messages","record_key":"m1","connection_id":"cin_1"}]}`), nil
	}}
	p := auth.Principal{
		Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage,
		Package: scriptedPackage{RS: server, choose: &rs.Error{Code: "ambiguous_connection"}, granted: []rs.GrantedStream{
			{Stream: "messages", Connection: rs.Connection{ID: "cin_1", DisplayName: "Work mail"}},
			{Stream: "messages", Connection: rs.Connection{ID: "cin_2", DisplayName: "Personal mail"}},
		}},
	}
	reply, err := standard(server)(auth.WithPrincipal(t.Context(), p), callOf(t, "search", `{"q":"tax","streams":["messages"],"connection_id":"work MAIL"}`))
	if err != nil || !strings.Contains(textOf(t, reply.Result), "cin_1/messages:m1") {
		t.Errorf("%s, after %v (%v)", textOf(t, reply.Result), server.Lines(), err)
	}
}

// A filter without a stream is matched to the streams that have all its fields.
func TestAFilterFindsItsStream(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"shop","granted_connections":[{"connection_id":"cin_1"}],"streams":[` +
		`{"name":"orders","field_capabilities":{"total":"t=number,eq","status":"t=string,eq"}},` +
		`{"name":"refunds","field_capabilities":{"status":"t=string,eq"}}]}]}`
	const needs = "A filter needs the one stream whose fields it names."
	for arguments, says := range map[string]string{
		`{"filter":{"total":9}}`:       needs + "\nsend: query_records {\"filter\":{\"total\":9},\"stream\":\"orders\"}",
		`{"filter":{"status":"paid"}}`: needs + " These have them: orders, refunds. This needs a call for each of the 2; the one below is the first.\nsend: query_records",
		`{"filter":{"weight":1}}`:      needs,
		`{"q":"a","streams":["refunds","notes"],"filter":{"status":"paid"}}`: needs + "\nsend: search {\"q\":\"a\",\"streams\":[\"refunds\"],\"filter\":{\"status\":\"paid\"}}",
		`{"q":"a","streams":["refunds","notes"],"filter":{"total":9}}`:       needs,
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if r.Path == "/v1/search" {
				return nil, &rs.Error{Code: "invalid_request", Status: 400, Message: "filter[...] requires exactly one stream in streams", Quoted: true}
			}
			return middlewaretest.JSON(schema), nil
		}}
		tool := "query_records"
		if strings.Contains(arguments, `"q"`) {
			tool = "search"
		}
		reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, tool, arguments))
		text := textOf(t, reply.Result)
		if err != nil || !strings.Contains(text, says) || says == needs && strings.Contains(text, "send:") {
			t.Errorf("%s: %s (%v)", arguments, text, err)
		}
	}
}

// If a name is not in the grant, the resource server's authentication error is not passed on: the token is not at fault.
func TestAnUnknownNameIsNoFaultOfTheToken(t *testing.T) {
	server := correctable()
	answer := server.Answer
	server.Answer = func(r rs.Request) (*rs.Response, error) {
		response, err := answer(r)
		if err != nil {
			e := *rs.AsError(err)
			if strings.Contains(r.Path, "/notices/") {
				e.Status, e.Message = 404, "Unknown stream"
			}
			e.Envelope = json.RawMessage(`{"type":"authentication_error","code":"` + string(e.Code) + `","message":"` + e.Message + `","next_step":"Get a token."}`)
			err = &e
		}
		return response, err
	}
	for arguments, own := range map[string]string{
		`{"stream":"message"}`:                          `"rs":{"code":"context.stream_not_allowed","status":401}`,
		`{"stream":"messages","connection_id":"cin_9"}`: `"rs":{"code":"context.instance_mismatch","status":401}`,
		`{"stream":"messages","filter":{"subjet":"a"}}`: `"message":"Unknown field"`,  // the message names the field
		`{"stream":"notices"}`:                          `"message":"Unknown stream"`, // a 404 is passed on
	} {
		reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, "query_records", arguments))
		if said := rs.EncodeJSON(reply.Result.StructuredContent); err != nil || !strings.Contains(said, own) {
			t.Errorf("%s: %s (%v)", arguments, said, err)
		}
	}
}

// A refusal of an unknown connection, or of an unknown stream of a package, says how to ask the owner to grant it.
func TestWhatIsUnknownIsAskedFor(t *testing.T) {
	terms := &auth.Terms{Connect: func(m rs.Missing) []string {
		return []string{"pdpp-mcp connect " + m.Connection + strings.Join(m.Streams, " ")}
	}}
	inPackage := scriptedPackage{
		RS: new(middlewaretest.RS), choose: &rs.Error{Code: "ambiguous_connection"},
		granted: []rs.GrantedStream{{Stream: "notes", Connection: rs.Connection{ID: "cin_2"}}},
	}
	for _, row := range []struct {
		tool, arguments string
		principal       auth.Principal
		asks            string
	}{
		{"query_records", `{"stream":"messages","connection_id":"cin_9"}`, auth.Principal{Kind: auth.KindClient}, "pdpp-mcp connect cin_9"},
		{"search", `{"q":"tax","streams":["dreams"]}`, auth.Principal{Kind: auth.KindPackage, Package: inPackage}, "pdpp-mcp connect dreams"},
	} {
		row.principal.Token, row.principal.Terms = rs.NewToken(middlewaretest.CanaryToken), terms
		reply, err := standard(correctable())(auth.WithPrincipal(t.Context(), row.principal), callOf(t, row.tool, row.arguments))
		if text := textOf(t, reply.Result); err != nil || !strings.Contains(text, row.asks) {
			t.Errorf("%s (%v)", text, err)
		}
	}
}

// If the other connection of a stream has the field, the refusal names that connection.
func TestAFieldOfAnotherConnectionIsAskedForThere(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[` +
		`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_1","display_name":"Work mail"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"subject":"t=text,eq","labels":"t=array"}}]},` +
		`{"connector_key":"slack","granted_connections":[{"connection_id":"cin_2","display_name":"Team chat"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"subject":"t=text,eq","channel":"t=string,eq"}}]}]}`
	for arguments, row := range map[string]struct{ says, send string }{
		`{"stream":"messages","fields":["labels","channel"]}`: {`has all of these fields: "labels" is a field of cin_1 "Work mail"; "channel" is a field of cin_2 "Team chat".`, ""},
		`{"stream":"messages","fields":["channel"],"connection_id":"cin_1"}`: {
			`"channel" is a field of cin_2 "Team chat".`, `send: query_records {"stream":"messages","fields":["channel"],"connection_id":"cin_2"}`,
		},
		`{"stream":"messages","fields":["chanel"]}`: {`messages has no field "chanel". Nearest: channel.`, `"fields":["channel"]`},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if r.Path == "/v1/schema" {
				return middlewaretest.JSON(schema), nil
			}
			return nil, &rs.Error{Code: "unknown_field", Status: 400, Message: "Unknown field", Quoted: true}
		}}
		reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, "query_records", arguments))
		text := textOf(t, reply.Result)
		if err != nil || !strings.Contains(text, row.says) || !strings.Contains(text, row.send) || (row.send == "") == strings.Contains(text, "send: query") {
			t.Errorf("%s: %s (%v)", arguments, text, err)
		}
	}
}

// An id without a stream is matched to the streams of the cached schema, without a read.
func TestARecordsOwnIDNamesTheStreamsThatMayHaveIt(t *testing.T) {
	for arguments, says := range map[string]string{
		`{"id":"note-0036"}`:                         "Streams that may have it: messages, attachments, notes.",
		`{"id":"w-m0720"}`:                           "send CONNECTION/STREAM:w-m0720, with the record's connection_id and stream; a table has them in its header.",
		`{"id":"2026-0237"}`:                         `send: search {"q":"2026-0237"}`,
		`{"id":"nts-0036"}`:                          `send: search {"q":"nts-0036"}`,
		`{"id":"n-0036"}`:                            `send: search {"q":"n-0036"}`,
		`{"id":"note-0036","connection_id":"cin_2"}`: `send: fetch {"id":"cin_2/notes:note-0036"}`,
	} {
		server := correctable()
		serve, all := standard(server), tools.All(tools.Options{})
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, GrantID: "grant_1"})
		_, _ = serve(ctx, tools.Call{Tool: all[0], Raw: json.RawMessage(`{}`)})
		reads := len(server.Lines())
		reply, err := serve(ctx, tools.Call{Tool: all[0].Named("fetch"), Raw: json.RawMessage(arguments)})
		if err != nil || !strings.Contains(textOf(t, reply.Result), says) || len(server.Lines()) != reads {
			t.Errorf("%s: %s, after %v (%v)", arguments, textOf(t, reply.Result), server.Lines(), err)
		}
	}
}

// Instead of a substring filter the proposal groups by the field if it can group, searches if the search reads the field, and
// otherwise queries the records.
func TestATextWithinAFieldIsLookedForByItsField(t *testing.T) {
	for filter, send := range map[string]string{
		`{"sender":{"contains":"tax"}}`:                 `aggregate {"stream":"mails","metric":"count","group_by":"sender","limit":100}`,
		`{"sender":{"startswith":"T"},"size":{"gt":1}}`: `aggregate {"stream":"mails","metric":"count","filter":{"size":{"gt":1}},"group_by":"sender","limit":100}`,
		`{"subject":{"contains":"tax"}}`:                `search {"q":"tax","streams":["mails"]}`,
		`{"labels":{"like":"%tax%"},"size":1}`:          `query_records {"stream":"mails","filter":{"size":1}}`,
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			return middlewaretest.JSON(`{"detail":"compact","connectors":[{"granted_connections":[{"connection_id":"cin_1"}],"streams":[{"name":"mails",` +
				`"field_capabilities":{"subject":"t=text,lex","sender":"t=text,eq,lex,a=group_by","labels":"t=array",` +
				`"size":"t=number,eq,r=gt"}}]}]}`), nil
		}}
		serve, all := standard(server), tools.All(tools.Options{})
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, GrantID: "grant_1"})
		_, _ = serve(ctx, tools.Call{Tool: all[0], Raw: json.RawMessage(`{"stream":"mails"}`)})
		sent := `{"stream":"mails","filter":` + filter + `}`
		if strings.HasPrefix(send, "search") { // of which no aggregate counts the records either
			reply, err := serve(ctx, tools.Call{Tool: all[0].Named("aggregate"), Raw: json.RawMessage(strings.Replace(sent, "{", `{"metric":"count",`, 1))})
			if text := textOf(t, reply.Result); err != nil || !strings.Contains(text+"\n", "send: "+send+"\n") {
				t.Errorf("aggregate of %s: %s (%v)", filter, text, err)
			}
		}
		reply, err := serve(ctx, tools.Call{Tool: all[0].Named("query_records"), Raw: json.RawMessage(sent)})
		if text := textOf(t, reply.Result); err != nil || !strings.Contains(text+"\n", "send: "+send+"\n") {
			t.Errorf("%s: %s (%v)", filter, text, err)
		}
	}
}

// A word for a sender or a recipient is matched to the field that fits its value: an address field or a name field, and never the
// sender for a recipient.
func TestAPersonIsComparedWithTheFieldThatIsMeant(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"mail","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"people","field_capabilities":{"email":"t=string,eq"}},{"name":"mails","field_capabilities":{"from_name":"t=string,role=actor,eq,lex",` +
		`"from_email":"t=string,eq,lex","snippet":"t=text,role=secondary,eq,lex","to":"t=array","cc":"t=array","at":"t=timestamp,role=event-time,eq,r=gte|lte"}}]}]}`
	const leftOut = "cannot be filtered by"
	for _, row := range []struct{ tool, arguments, says, send string }{
		{"query_records", `{"stream":"mails","filter":{"sender":"a@b.example"}}`, "Nearest: from_email.", `query_records {"stream":"mails","filter":{"from_email":"a@b.example"}}`},
		{"query_records", `{"stream":"mails","filter":{"author":"Anna Bo"}}`, "Nearest: from_name", `query_records {"stream":"mails","filter":{"from_name":"Anna Bo"}}`},
		{"query_records", `{"stream":"mails","filter":{"recipient":"a@b.example"}}`, `field "to" of mails ` + leftOut, `search {"q":"a@b.example","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"copied":"Anna"}}`, `field "cc" of mails ` + leftOut, `search {"q":"Anna","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"to_name":"Anna Bo"}}`, `field "to" of mails ` + leftOut, `search {"q":"Anna Bo","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"To.email":"a@b.example"}}`, `field "to" of mails ` + leftOut, `search {"q":"a@b.example","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"recipientName":"Anna"}}`, `field "to" of mails ` + leftOut, `search {"q":"Anna","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"receiver":"Anna"}}`, `field "to" of mails ` + leftOut, `search {"q":"Anna","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"cc_email":"a@b.example"}}`, `field "cc" of mails ` + leftOut, `search {"q":"a@b.example","streams":["mails"]}`},
		{"query_records", `{"stream":"mails","filter":{"bcc":"Anna"}}`, `no field "bcc". Those that can: `, ""},
		{"aggregate", `{"stream":"mails","metric":"count","filter":{"to_name":"Anna"}}`, `field "to" of mails ` + leftOut, ""},
		{"aggregate", `{"stream":"mails","metric":"count","filter":{"recipient_email":"a@b.example"}}`, `field "to" of mails ` + leftOut, ""},
		{"query_records", `{"stream":"mails","filter":{"sent_by":"Anna"}}`, "Nearest: from_name", `query_records {"stream":"mails","filter":{"from_name":"Anna"}}`},
		{"query_records", `{"stream":"mails","filter":{"from":"2026-06-01","to":"2026-06-30"}}`, "at says when a record is", `query_records {"stream":"mails","filter":{"at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`},
		{"query_records", `{"stream":"mails","filter":{"from":"2026-06-01"}}`, "at says when a record is", `query_records {"stream":"mails","filter":{"at":{"gte":"2026-06-01"}}}`},
		{"query_records", `{"stream":"mails","filter":{"body":"tax"}}`, "A filter compares a whole text", `search {"q":"tax","streams":["mails"]}`},
		{"search", `{"q":"tax","sender":"a@b.example"}`, "No argument is sender", `search {"q":"tax","streams":["mails"],"filter":{"from_email":"a@b.example"}}`},
		{"search", `{"q":"tax from:a@b.example"}`, "no operator", `search {"q":"tax","streams":["mails"],"filter":{"from_email":"a@b.example"}}`},
		{"search", `{"q":"tax from:anna"}`, "no operator", `search {"q":"tax anna"}`},
		{"search", `{"q":"tax cc:anna"}`, "in any field, also in those of the sender", `search {"q":"tax anna"}`},
		{"search", `{"q":"tax","recipient":"a@b.example"}`, "in any field, also in those of the sender", `search {"q":"tax a@b.example"}`},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if r.Path == "/v1/schema" {
				return middlewaretest.JSON(schema), nil
			}
			return nil, &rs.Error{Code: "unknown_field", Status: 400, Message: "Unknown field", Quoted: true}
		}}
		reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, row.tool, row.arguments))
		text := textOf(t, reply.Result)
		sends := strings.Contains(text+"\n", "send: "+row.send+"\n") || row.send == "" && !strings.Contains(text, "send: ")
		if err != nil || !strings.Contains(text, row.says) || !sends {
			t.Errorf("%s: %s (%v)", row.arguments, text, err)
		}
	}
}

// If the schema is cached, a proposal for malformed arguments names only streams that exist.
func TestAProposalNamesStreamsThatThereAre(t *testing.T) {
	response := rs.Response{Body: `{"detail":"compact","connectors":[{"connector_key":"files","granted_connections":[{"connection_id":"cin_f"}],"streams":[` +
		`{"name":"Outlook","field_capabilities":{"subject":"t=text,eq,lex","mailbox":"t=array,eq"}},{"name":"bank_2024","field_capabilities":{"day":"t=date,eq"}}]}]}`}
	for arguments, want := range map[string]string{
		`query_records {"stream":"Outlook/Sent Items"}`:                            `query_records {"stream":"Outlook","filter":{"mailbox":"Sent Items"}}`,
		`query_records {"stream":"Outlook/Inbox","limit":5}`:                       `query_records {"stream":"Outlook","limit":5,"filter":{"mailbox":"Inbox"}}`,
		`search {"q":"rent","streams":["Outlook/Inbox"]}`:                          `search {"q":"rent","streams":["Outlook"],"filter":{"mailbox":"Inbox"}}`,
		`search {"q":"rent","streams":["cin_f/Outlook","bank_2024"]}`:              `"streams":["Outlook","bank_2024"]}`,
		`search {"q":"rent","streams":["cin_f/Outlook","cin_g/bank_2024"]}`:        `"streams":["Outlook","bank_2024"]}`,
		`search {"q":"rent","streams":["cin_f/Outlook","cin_f/bank_2024"]}`:        `"streams":["Outlook","bank_2024"],"connection_id":"cin_f"}`,
		`search {"q":"rent","streams":[["Outlook"]]}`:                              `schema {}`,
		`query_records {"stream":"bank/2024"}`:                                     `query_records {"stream":"bank_2024"}`,
		`query_records {"stream":"foo/bar"}`:                                       `schema {}`,
		`search {"q":"rent","streams":["bnk_2024"],"since":"the 5th of November"}`: `"bank_2024"`,
	} {
		name, raw, _ := strings.Cut(arguments, " ")
		call := callOf(t, name, raw)
		tool := *call.Tool
		tool.CachedSchema = func(context.Context, string, string) *rs.Schema { return response.Schema() }
		call.Tool = &tool
		reply, err := standard(&middlewaretest.RS{})(as(t.Context(), auth.KindClient), call)
		_, send, _ := strings.Cut(textOf(t, reply.Result), "send: ")
		if send, _, _ = strings.Cut(send, "\n"); err != nil || send != want && (name == "query_records" || !strings.Contains(send, want)) {
			t.Errorf("%s leads to %s, %v; want %s", arguments, send, err, want)
		}
	}
}
