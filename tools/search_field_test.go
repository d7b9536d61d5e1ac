package tools_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A query without a word is refused with the call that lists all records, and nothing is read.
func TestAQueryWithoutWordsIsRefused(t *testing.T) {
	for q, says := range map[string]string{
		"*": `q "*" has no word to look for.`, "?!": `q "?!" has no word to look for.`, `""`: `q "\"\"" has no word to look for.`,
		"-dentist": `q "-dentist" only excludes.`, "-a -b": `q "-a -b" only excludes.`,
	} {
		_, err := tools.Search("https://rs.example").Parse([]byte(rs.Object{{Name: "q", Value: rs.EncodeJSON(q)}, {Name: "streams", Value: `["orders"]`}}.JSON()))
		if err == nil {
			t.Errorf("%s is accepted", q)
			continue
		}
		if e := rs.AsError(err); e.Message != says || e.Code != "invalid_arguments" || !strings.HasPrefix(e.Send, `search {"streams":["orders"],"since":"1 month ago"}`) {
			t.Errorf("%s: %s, send %s; want %q", q, e.Message, e.Send, says)
		}
	}
	for _, q := range []string{"a", "🎂", "会議", "10", `"x"`, "a -b", "c*"} {
		if _, err := tools.Search("https://rs.example").Parse([]byte(rs.Object{{Name: "q", Value: rs.EncodeJSON(q)}}.JSON())); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// An excluded word leaves out single records, so the message whose body has it stays. The answer says so.
func TestAnExcludedWordLeavesOutSingleRecords(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
		return middlewaretest.JSON(`{"data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1}}`), nil
	}}
	for q, want := range map[string]bool{"boiler -invoice": true, "boiler -5 -invoice": true, "boiler NOT invoice": true, "boiler -5": false, "boiler in-voice": false} {
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"`+q+`"}`)
		if strings.Contains(text, "\nAn excluded word leaves out the records that have it themselves: a message stays") != want {
			t.Errorf("%s:\n%s", q, text)
		}
	}
}

// A condition in a query, as other search engines have it, is searched for as words. If nothing is found, the answer has the call with
// the equivalent filter.
func TestAConditionInAQueryProposesAFilter(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"notes","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|lte","body":"t=text,lex","status":"t=string"}},` +
		`{"name":"orders","field_capabilities":{"merchant":"t=string,eq,lex","status":"t=string,eq","total":"t=number,eq,r=gt|gte|lte","secret":"t=string,eq,granted=false"}},` +
		`{"name":"bookmarks","field_capabilities":{"tags":"t=string,eq"}},{"name":"pages","field_capabilities":{"tags":"t=string,eq"}}]}]}`
	const nothing, some = `{"data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`, `{"data":[{"stream":"notes","record_key":"1","connection_id":"c"}],"meta":{"count":1}}`
	const lacks = `{"data":[{"stream":"notes","record_key":"1","connection_id":"c"}],"meta":{"count":0,"recall":{"partial_count":1,"missing_words":["merchant:Towpath"]}}}`
	for _, row := range []struct{ name, arguments, answer, want string }{
		{"alone", `{"q":"merchant:Towpath"}`, nothing, `query_records {"stream":"orders","filter":{"merchant":"Towpath"}}`},
		{"of a connection", `{"q":"Merchant:Towpath","connection_id":"c"}`, nothing, `query_records {"stream":"orders","connection_id":"c","filter":{"merchant":"Towpath"}}`},
		{"with a phrase", `{"q":"merchant:\"Towpath Running\""}`, nothing, `query_records {"stream":"orders","filter":{"merchant":"Towpath Running"}}`},
		{"two", `{"q":"merchant:Towpath total:12.50"}`, nothing, `query_records {"stream":"orders","filter":{"merchant":"Towpath","total":12.50}}`},
		{"beside words", `{"q":"gloves merchant:Towpath","limit":5}`, nothing, `search {"q":"gloves","streams":["orders"],"filter":{"merchant":"Towpath"}}`},
		{"beside a time", `{"q":"merchant:Towpath","since":"2026-01-01"}`, nothing, `search {"since":"2026-01-01","streams":["orders"],"filter":{"merchant":"Towpath"}}`},
		{"of which only other records were found, with a time", `{"q":"gloves merchant:Towpath","since":"2026-01-01"}`, lacks,
			`search {"q":"gloves","since":"2026-01-01","streams":["orders"],"filter":{"merchant":"Towpath"}}`},
		{"of which only other records were found", `{"q":"gloves merchant:Towpath"}`, lacks, `search {"q":"gloves","streams":["orders"],"filter":{"merchant":"Towpath"}}`},
		{"of the only one of several streams that has it", `{"q":"tags:book"}`, nothing, `query_records {"stream":"pages","filter":{"tags":"book"}}`},
		{"of several streams, none of which has it", `{"q":"tags:nook"}`, nothing, `search {"q":"tags nook"}`},
		{"with a sign", `{"q":"merchant=Towpath"}`, nothing, `query_records {"stream":"orders","filter":{"merchant":"Towpath"}}`},
		{"with a sign and a phrase, though its words are found", `{"q":"merchant == \"Towpath Running\""}`, some, `query_records {"stream":"orders","filter":{"merchant":"Towpath Running"}}`},
		{"of a range", `{"q":"total>100"}`, nothing, `query_records {"stream":"orders","filter":{"total":{"gt":100}}}`},
		{"of a range between two bounds", `{"q":"gloves total >= 50 total:<=60"}`, nothing, `search {"q":"gloves","streams":["orders"],"filter":{"total":{"gte":50,"lte":60}}}`},
		{"of a range that cannot be filtered", `{"q":"total<100"}`, nothing, ""},
		{"no condition: a formula", `{"q":"E = mc"}`, nothing, ""},
		{"no condition: an arrow", `{"q":"status -> paid"}`, nothing, ""},
		{"of no field", `{"q":"foo:bar baz"}`, nothing, `search {"q":"baz foo bar"}`},
		{"of a field that cannot be filtered", `{"q":"body:rent"}`, nothing, `search {"q":"body rent"}`},
		{"that is found", `{"q":"merchant:Towpath"}`, some, ""},
		{"no condition: a time", `{"q":"10:30"}`, nothing, ""},
		{"no condition: an address", `{"q":"https://shop.example/x"}`, nothing, ""},
		{"no condition: a phrase", `{"q":"\"merchant:Towpath\""}`, nothing, ""},
		{"no condition: words", `{"q":"note: call mum"}`, nothing, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch r.Path {
				case "/v1/schema":
					return middlewaretest.JSON(schema), nil
				case "/v1/streams":
					return middlewaretest.JSON(`{"data":[]}`), nil
				case "/v1/streams/pages/aggregate":
					return middlewaretest.JSON(map[bool]string{true: `{"value":2}`, false: `{"value":0}`}[r.Query.Get("filter[tags]") == "book"]), nil
				}
				return middlewaretest.JSON(row.answer), nil
			}}
			result := use(t, tools.Search("https://rs.example"), server, []byte(row.arguments))
			says := "q is read as words, not as fields. Send: " + row.want
			if row.want == "" {
				says = ""
			}
			if hint := rs.AsObject(result.Structured).Object("data").Text("hint"); hint != says {
				t.Errorf("structured: %q; want %q", hint, says)
			}
			if strings.Contains(result.Text, "not as fields") != (says != "") || !strings.Contains(result.Text, says) {
				t.Errorf("text: want %q in\n%s", says, result.Text)
			}
		})
	}
}

// A query only for the newest or oldest record of a stream gets the call that reads it, whether or not records have these words.
func TestAQueryForTheNewestProposesACall(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|lte","body":"t=text,lex"}},` +
		`{"name":"orders","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|lte","merchant":"t=string,eq,lex"}},` +
		`{"name":"diaries","field_capabilities":{"body":"t=text,lex"}}]}]}`
	const july = `The oldest of that stream: query_records {"stream":"orders","order":"asc","limit":1,"filter":{"at":{"gte":"2026-07-01","lte":"2026-07-31"}}}`
	for arguments, want := range map[string]string{
		`{"q":"latest order"}`:                                          `The newest of that stream: search {"since":"1970-01-01","streams":["orders"],"limit":1}`,
		`{"q":"what was my last purchase?"}`:                            `The newest of that stream: search {"since":"1970-01-01","streams":["orders"],"limit":1}`,
		`{"q":"newest mail","connection_id":"c"}`:                       `The newest of that stream: search {"since":"1970-01-01","streams":["messages"],"connection_id":"c","limit":1}`,
		`{"q":"my first order"}`:                                        `The oldest of that stream: query_records {"stream":"orders","order":"asc","limit":1}`,
		`{"q":"latest diary"}`:                                          `The newest of that stream: query_records {"stream":"diaries","limit":1}`,
		`{"q":"latest order","streams":["diaries"]}`:                    "By time, not by words: query_records, or search with since and until.",
		`{"q":"latest order from Towpath"}`:                             `In that stream alone: search {"q":"newest Towpath","streams":["orders"]}`,
		`{"q":"first purchase at Towpath Running"}`:                     `In that stream alone: search {"q":"oldest Towpath Running","streams":["orders"]}`,
		`{"q":"last email I sent to Birgit"}`:                           `In that stream alone: search {"q":"newest Birgit","streams":["messages"]}`,
		`{"q":"newest order Avon","streams":["orders"]}`:                "By time, not by words: query_records, or search with since and until.",
		`{"q":"latest boiler"}`:                                         "By time, not by words: query_records, or search with since and until.",
		`{"q":"first order in July 2026"}`:                              july,
		`{"q":"oldest order of July 2026"}`:                             july,
		`{"q":"erste Bestellung im Juli 2026"}`:                         july,
		`{"q":"première commande de juillet 2026"}`:                     july,
		`{"q":"primer pedido de julio de 2026"}`:                        july,
		`{"q":"primo ordine di luglio 2026"}`:                           july,
		`{"q":"primeira compra de julho de 2026"}`:                      july,
		`{"q":"eerste bestelling in juli 2026"}`:                        july,
		`{"q":"first order","since":"2026-07-01","until":"2026-07-31"}`: july,
		`{"q":"first order","since":"2026-07-01","time_zone":"Europe/Berlin"}`: `The oldest of that stream: query_records {"stream":"orders","time_zone":"Europe/Berlin",` +
			`"order":"asc","limit":1,"filter":{"at":{"gte":"2026-07-01"}}}`,
		`{"q":"last mail of March 2026"}`:                              `The newest of that stream: query_records {"stream":"messages","limit":1,"filter":{"at":{"gte":"2026-03-01","lte":"2026-03-31"}}}`,
		`{"q":"letzte Mail vom 3. März 2026"}`:                         `The newest of that stream: query_records {"stream":"messages","limit":1,"filter":{"at":{"gte":"2026-03-03","lte":"2026-03-03"}}}`,
		`{"q":"dernier mail de mars 2026"}`:                            `The newest of that stream: query_records {"stream":"messages","limit":1,"filter":{"at":{"gte":"2026-03-01","lte":"2026-03-31"}}}`,
		`{"q":"first order of tea in July 2026"}`:                      `In that stream alone: search {"q":"oldest tea","streams":["orders"],"since":"2026-07-01","until":"2026-07-31"}`,
		`{"q":"first diary of 2026"}`:                                  "By time, not by words: query_records, or search with since and until.", // it has no time
		`{"q":"first boiler repair"}`:                                  `Without the word "first": search {"q":"oldest boiler repair"}`,
		`{"q":"first boiler repair","streams":["messages"],"limit":3}`: `Without the word "first": search {"q":"oldest boiler repair","streams":["messages"]}`,
		`{"q":"orders in the first week of July 2026"}`:                "",
		`{"q":"order"}`:           "",
		`{"q":"order last week"}`: "",
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if r.Path == "/v1/schema" {
				return middlewaretest.JSON(schema), nil
			}
			if in := r.Query["streams"]; len(in) > 0 && r.Query.Get("limit") == "1" { // whether the stream has the words
				return middlewaretest.JSON(`{"data":[` + hitAt(in[0], "1", "") + `],"meta":{"count":1}}`), nil
			}
			return middlewaretest.JSON(`{"data":[]}`), nil
		}}
		result := use(t, tools.PlainSearch("https://rs.example"), server, []byte(arguments))
		hint := rs.AsObject(result.Structured).Object("data").Text("hint")
		if hint, _, _ = strings.Cut(hint, " Of any time: "); hint != want || !strings.Contains(result.Text, want) {
			t.Errorf("%s: want %q in\n%q\n%s", arguments, want, hint, result.Text)
		}
	}
}

// A query for the newest record of a sender or a merchant gets the call that reads it, with the connection and the field that has that
// value.
func TestAQueryForTheNewestOfASenderNamesConnectionAndField(t *testing.T) {
	const at = `"at":"t=timestamp,role=event-time,eq,r=gte|lte"`
	const schema = `{"detail":"compact","connectors":[{"connector_key":"mail","granted_connections":[{"connection_id":"w","display_name":"Work mail"}],"streams":[` +
		`{"name":"messages","field_capabilities":{` + at + `,"from_name":"t=string,role=actor,eq,lex,a=group_by"}}]},` +
		`{"connector_key":"chat","granted_connections":[{"connection_id":"t","display_name":"Team chat"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"sent_at":"t=timestamp,role=event-time,eq,r=gte|lte","user_name":"t=string,role=actor,eq,lex,a=group_by"}}]},` +
		`{"connector_key":"shop","granted_connections":[{"connection_id":"s","display_name":"Shop"}],"streams":[` +
		`{"name":"threads","field_capabilities":{` + at + `,"body":"t=text,lex"}},` +
		`{"name":"reactions","field_capabilities":{` + at + `,"by":"t=string,role=actor,eq,a=group_by"}},` +
		`{"name":"orders","field_capabilities":{` + at + `,"merchant":"t=string,role=primary-title,eq,lex,a=group_by"}}]}]}`
	const reaction = `query_records {"stream":"reactions","connection_id":"s","limit":1,"filter":{"by":"Ida Berg"}}`
	const ofIda = `"limit":1,"filter":{"user_name":"Ida Berg"}}`
	const inChat, inMail = `query_records {"stream":"messages","connection_id":"t",` + ofIda, `query_records {"stream":"messages","connection_id":"w","limit":1,"filter":{"from_name":"Ida Berg"}}`
	for q, want := range map[string]string{
		"last message from Ida in team chat": `The newest of "Ida Berg": ` + inChat,
		"latest chat message by Ida Berg":    `The newest of "Ida Berg": ` + inChat,
		"first mail from Ida":                `The oldest of "Ida Berg": query_records {"stream":"messages","connection_id":"w","order":"asc","limit":1,"filter":{"from_name":"Ida Berg"}}`,
		"last message from Ida":              `The newest of "Ida Berg": ` + inMail + `, ` + inChat,
		"last message from Ida Strand":       `In that stream alone: search {"q":"newest Ida Strand","streams":["messages"]}`,
		"last message from Tom":              `In that stream alone: search {"q":"newest Tom","streams":["messages"]}`, // two fields may have the value
		"last message from Tom Ash":          `The newest of "Tom Ash": query_records {"stream":"messages","connection_id":"w","limit":1,"filter":{"from_name":"Tom Ash"}}`,
		"first message from Ida in May 2026 in team chat": `The oldest of "Ida Berg": query_records {"stream":"messages","connection_id":"t",` +
			`"order":"asc","limit":1,"filter":{"user_name":"Ida Berg","sent_at":{"gte":"2026-05-01","lte":"2026-05-31"}}}`,
		"first message in team chat in May 2026": `The oldest of that stream: query_records {"stream":"messages","connection_id":"t","order":"asc","limit":1,` +
			`"filter":{"sent_at":{"gte":"2026-05-01","lte":"2026-05-31"}}}`,
		"last message to Ida":                      `In that stream alone: search {"q":"newest Ida","streams":["messages"]}`,
		"When did Ida last react?":                 `The newest of "Ida Berg": ` + reaction,
		"Wann hat Ida zuletzt reagiert?":           `The newest of "Ida Berg": ` + reaction,
		"Quand Ida a-t-elle réagi en dernier ?":    `The newest of "Ida Berg": ` + reaction,
		"What was the last mail Ida Berg wrote?":   `The newest of "Ida Berg": ` + inMail,
		"dernier message d'Ida dans le team chat":  `The newest of "Ida Berg": ` + inChat,
		"last message in team chat":                `The newest of that stream: search {"since":"1970-01-01","streams":["messages"],"connection_id":"t","limit":1}`,
		"last order from Thread and Needle":        `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"letzte Bestellung bei Thread and Needle":  `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"dernière commande chez Thread and Needle": `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"último pedido de Thread and Needle":       `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"ultimo ordine da Thread and Needle":       `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"laatste bestelling bij Thread and Needle": `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"última compra na Thread and Needle":       `The newest of "Thread and Needle": query_records {"stream":"orders","connection_id":"s","limit":1,"filter":{"merchant":"Thread and Needle"}}`,
		"last order of boots at Thread & Needle":   `The newest of "Thread and Needle": search {"q":"newest boots","streams":["orders"],"connection_id":"s","filter":{"merchant":"Thread and Needle"}}`,
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case r.Path == "/v1/schema":
				return middlewaretest.JSON(schema), nil
			case r.Query.Get("group_by") == "merchant":
				return middlewaretest.JSON(`{"groups":[{"key":"Thread and Needle","count":9},{"key":"Towpath","count":2}]}`), nil
			case r.Query.Get("group_by") == "from_name":
				return middlewaretest.JSON(`{"groups":[{"key":"Ida Berg","count":9},{"key":"Tom Ash","count":2},{"key":"Tom Hale","count":2}]}`), nil
			case r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"groups":[{"key":"Ida Berg","count":9}]}`), nil
			}
			if in := r.Query["streams"]; len(in) > 0 && r.Query.Get("limit") == "1" { // whether the stream has the words
				return middlewaretest.JSON(`{"data":[` + hitAt(in[0], "1", "") + `],"meta":{"count":1}}`), nil
			}
			return middlewaretest.JSON(`{"data":[]}`), nil
		}}
		result := use(t, tools.PlainSearch("https://rs.example"), server, []byte(rs.Object{rs.NewMember("q", q)}.JSON()))
		if hint := rs.AsObject(result.Structured).Object("data").Text("hint"); hint != want {
			t.Errorf("%s: %q, want %q", q, hint, want)
		}
	}
}

// A word that names a field which no search and no filter reads gets the call that shows the field in each record.
func TestAQueryThatNamesAFieldThatNothingReads(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"posts","field_capabilities":{"body":"t=text,lex","moods":"t=string,eq","guests":"t=array,granted=false","emails":"t=array"}},` +
		`{"name":"messages","field_capabilities":{"subject":"t=text,role=primary-title,eq,lex","labels":"t=array","categories":"t=array,lex","cc":"t=array"}}]}]}`
	const labels = `No search or filter reads the field labels of messages; each record has it: query_records {"stream":"messages","fields":["subject","labels"],"limit":100}`
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken("token"), Kind: auth.KindClient, GrantID: "g"})
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		return middlewaretest.JSON(`{"data":[` + hitAt("posts", "1", "") + `],"meta":{"count":1}}`), nil
	}}
	for arguments, want := range map[string]string{
		`{"q":"mails with label Receipts"}`:            labels,
		`{"q":"my labels"}`:                            labels,
		`{"q":"labels","streams":["messages"]}`:        labels,
		`{"q":"cc Ida"}`:                               strings.ReplaceAll(labels, "labels", "cc"),
		`{"q":"labels","streams":["posts"]}`:           "",
		`{"q":"mails of the category Receipts"}`:       "",
		`{"q":"posts with mood happy"}`:                "",
		`{"q":"which posts have guests from Lisbon?"}`: "",
		`{"q":"receipts"}`:                             "",
		`{"q":"mails from Ann"}`:                       "", // emails are addresses there
	} {
		tool := tools.All(tools.Options{})[3]
		tool.Schema(ctx, server, "", "") // now the schema is cached
		result := useIn(ctx, t, tool, server, []byte(arguments))
		for _, answer := range []string{result.Text, rs.AsObject(result.Structured).Object("data").Text("hint")} {
			if !strings.Contains(answer, want) || strings.Contains(answer, "No search or filter") != (want != "") {
				t.Errorf("%s: want %q in\n%s", arguments, want, answer)
			}
		}
	}
}
