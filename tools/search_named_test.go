package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A word that matches no record but is in the name of streams or of a connection leads there. A mere part of a word does not count.
func TestAWordInTheNameOfAStream(t *testing.T) {
	const of = `"field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","text":"t=text,lex"}}`
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Phone"}],"streams":[` +
		`{"name":"WhatsApp_Chat_-_Grupo_Playa",` + of + `,{"name":"WhatsApp_Chat_with_Ana",` + of + `,{"name":"LinkedInDataExport_1",` + of + `]},` +
		`{"connector_key":"b","granted_connections":[{"connection_id":"b","display_name":"Old laptop"}],"streams":[{"name":"notes",` + of + `,{"name":"trip_May_2025",` + of + `]}]}`
	const list = `{"data":[{"name":"WhatsApp_Chat_-_Grupo_Playa"},{"name":"WhatsApp_Chat_with_Ana"},{"name":"LinkedInDataExport_1"},{"name":"notes"}]}`
	const two = `"streams":["WhatsApp_Chat_-_Grupo_Playa","WhatsApp_Chat_with_Ana"]`
	for _, row := range []struct {
		arguments, missing string
		hits               int
		want               string
	}{
		{`{"q":"whatsapp papa"}`, `"whatsapp"`, 1, `"whatsapp" is in the names of 2 streams ("WhatsApp_Chat_-_Grupo_Playa", WhatsApp_Chat_with_Ana): search {"q":"papa",` + two + `}`},
		{`{"q":"WhatsApp papa","connection_id":"c"}`, `"WhatsApp"`, 1, `: search {"q":"papa","connection_id":"c",` + two + `}`},
		{`{"q":"whatsapp papa zebra"}`, `"whatsapp","zebra"`, 1, `: search {"q":"papa",` + two + `}`},
		{`{"q":"whatsapp"}`, `"whatsapp"`, 0, `"WhatsApp_Chat_-_Grupo_Playa"}, query_records {"stream":"WhatsApp_Chat_with_Ana"}`},
		{`{"q":"playa"}`, `"playa"`, 0, `"playa" is in the name of the stream "WhatsApp_Chat_-_Grupo_Playa": query_records {"stream":"WhatsApp_Chat_-_Grupo_Playa"}`},
		{`{"q":"linkedin in June 2026"}`, `"linkedin"`, 0, `: search {"streams":["LinkedInDataExport_1"],"since":"2026-06-01","until":"2026-06-30"}`},
		{`{"q":"whatsapp papa","since":"2026-06-01"}`, `"whatsapp"`, 1, `: search {"q":"papa","since":"2026-06-01",` + two + `}`},
		{`{"q":"laptop papa"}`, `"laptop"`, 1, `"laptop" is in the name of the connection b "Old laptop": search {"q":"papa","connection_id":"b"}`},
		{`{"q":"laptop papa in June 2026"}`, `"laptop"`, 1, `: search {"q":"papa","connection_id":"b","since":"2026-06-01","until":"2026-06-30"}`},
		{`{"q":"data papa"}`, `"data"`, 1, `: search {"q":"papa","streams":["LinkedInDataExport_1"]}`},
		{`{"q":"whatsapp playa papa"}`, `"whatsapp","playa"`, 1, `"whatsapp", "playa" are in the name of the stream "WhatsApp_Chat_-_Grupo_Playa": search {"q":"papa","streams":["WhatsApp_Chat_-_Grupo_Playa"]}`},
		{`{"q":"ana linkedin papa"}`, `"ana","linkedin"`, 1, `"ana", "linkedin" are in the names of 2 streams (WhatsApp_Chat_with_Ana, LinkedInDataExport_1): search {"q":"papa"`},
		{`{"q":"linkedin papa in June 2026"}`, `"linkedin"`, 1, `: search {"q":"papa","streams":["LinkedInDataExport_1"],"since":"2026-06-01","until":"2026-06-30"}`},
		{`{"q":"linkedin papa in June 2026","since":"2026-06-02"}`, `"linkedin"`, 1, `: search {"q":"papa","since":"2026-06-02","streams":["LinkedInDataExport_1"]}`},
		{`{"q":"whatsapp papa","streams":["WhatsApp_Chat_with_Ana","notes"]}`, `"whatsapp"`, 1, `: search {"q":"papa","streams":["WhatsApp_Chat_with_Ana"]}`},
		{`{"q":"whatsapp papa","streams":["notes"]}`, `"whatsapp"`, 1, ""},
		{`{"q":"trip","streams":["trip_May_2025"],"filter":{"text":"a"}}`, `"trip"`, 1, `: search {"since":"1970-01-01","filter":{"text":"a"},"streams":["trip_May_2025"]}`},
		{`{"q":"how many whatsapp papa"}`, `"whatsapp"`, 1, ""}, // nor a number
		{`{"q":"whatsapp mama"}`, `"whatsapp"`, 1, ""}, // the other word is elsewhere
		{`{"q":"average papa on the laptop"}`, `"laptop"`, 1, ""},
		{`{"q":"longest trip"}`, `"trip"`, 1, ""}, // search does not compute the longest
		{`{"q":"papa 2025"}`, `"2025"`, 1, ""},
		{`{"q":"papa in May 2026"}`, `"may"`, 1, ""},
		{`{"q":"what papa"}`, ``, 1, ""},
		{`{"q":"what is on"}`, `"what","is","on"`, 1, ""}, // a question word is no part of WhatsApp
		{`{"q":"play papa"}`, `"play"`, 1, ""},
		{`{"q":"dataex papa"}`, `"dataex"`, 1, ""},
	} {
		reads := 0
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				reads++
				return middlewaretest.JSON(schema), nil
			case strings.HasSuffix(r.Path, "/streams"):
				return middlewaretest.JSON(list), nil
			case len(r.Query["streams"]) > 0 && r.Query.Get("q") == "papa": // whether these have the word
				return middlewaretest.JSON(`{"data":[` + hitAt(r.Query.Get("streams"), "1", "") + `],"meta":{"count":1}}`), nil
			}
			hits := strings.Repeat(hitAt("notes", "1", "2026-06-05T00:00:00Z"), row.hits)
			return middlewaretest.JSON(fmt.Sprintf(`{"object":"list","data":[%s],"meta":{"count":0,"recall":{"partial_count":%d,"missing_words":[%s]}}}`,
				hits, row.hits, row.missing)), nil
		}}
		_, text := searchWith(t, tools.Search("https://rs.example"), server, row.arguments)
		if printed := strings.Contains(text, " in the name"); printed != (row.want != "") || !strings.Contains(text, row.want) || reads > 1 {
			t.Errorf("%s with %d reads of the schema: want %q in\n%s", row.arguments, reads, row.want, text)
		}
	}
}

// A word that matches no record but is in the name of a field leads to the values of that field.
func TestAWordInTheNameOfAField(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Files"}],"streams":[` +
		`{"name":"trips","field_capabilities":{"to":"t=text,lex"}},` +
		`{"name":"walks","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time","Steps":"t=integer,a=sum|min",` +
		`"Meterstand":"t=integer,a=sum"}},` +
		`{"name":"people","field_capabilities":{"name":"t=text,lex","date_of_birth":"t=date","from_email":"t=string","Steps_goal":"t=integer,a=sum","resting_rate":"t=integer,a=sum","sleep_duration":"t=integer,a=sum","owner_id":"t=string"}}]}]}`
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken("token"), Kind: auth.KindClient, GrantID: "g"})
	for _, row := range []struct{ arguments, missing, hit, want string }{
		{`{"q":"steps"}`, `"steps"`, "", `"steps" is in the name of the field Steps of walks: ` +
			`aggregate {"stream":"walks","connection_id":"c","metric":"sum","field":"Steps","group_by_time":"at","granularity":"month"}`},
		{`{"q":"anna steps"}`, `"steps"`, "people", ""},
		{`{"q":"goal"}`, `"goal"`, "", `: aggregate {"stream":"people","connection_id":"c","metric":"sum","field":"Steps_goal"}`},
		{`{"q":"birth"}`, `"birth"`, "", `the field date_of_birth of people: query_records {"stream":"people","connection_id":"c","fields":["date_of_birth"]}`},
		{`{"q":"anna birth"}`, `"birth"`, "people", `of people: search {"q":"anna","streams":["people"]}`},
		{`{"q":"who didn't reply about the birth"}`, `"birth","reply"`, "people", `of people: query_records {"stream":"people","connection_id":"c","fields":["date_of_birth"]}`},
		{`{"q":"steps in May 2026"}`, `"steps"`, "", `"steps" is in the name of the field Steps of walks: ` +
			`aggregate {"stream":"walks","connection_id":"c","filter":{"at":{"gte":"2026-05-01","lte":"2026-05-31"}},"metric":"sum",` +
			`"field":"Steps","group_by_time":"at","granularity":"month"}`},
		{`{"q":"meterstand in mei 2026"}`, `"meterstand"`, "", `"meterstand" is in the name of the field Meterstand of walks: ` +
			`query_records {"stream":"walks","connection_id":"c","filter":{"at":{"gte":"2026-05-01","lte":"2026-05-31"}},"fields":["at","Meterstand"]}`},
		{`{"q":"anna e-mail"}`, `"e-mail"`, "people", `"e-mail" is in the name of the field from_email of people: search {"q":"anna","streams":["people"]}`},
		{`{"q":"anna birth in June 2026"}`, `"birth"`, "people", `of people: search {"q":"anna","streams":["people"],"since":"2026-06-01","until":"2026-06-30"}`},
		{`{"q":"steps","streams":["people"]}`, `"steps"`, "", `the field Steps_goal of people: `},
		{`{"q":"duration"}`, `"duration"`, "", `"metric":"sum","field":"sleep_duration"}`},
		{`{"q":"rate"}`, `"rate"`, "", `"metric":"avg","field":"resting_rate"}`},
		{`{"q":"walks"}`, `"walks"`, "", `in the name of the stream walks`},
		{`{"q":"owner"}`, `"owner"`, "", ""},
		{`{"q":"anna zebra"}`, `"zebra"`, "people", ""},
		{`{"q":"trips"}`, ``, "people", ""},
		{`{"q":"steps"}`, ``, "people", ""},
		{`{"q":"files"}`, ``, "people", ""},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if strings.HasSuffix(r.Path, "/schema") {
				return middlewaretest.JSON(schema), nil
			}
			hits := ""
			if row.hit != "" {
				hits = hitAt(row.hit, "1", "")
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + hits + `],"meta":{"recall":{"partial_count":0,"missing_words":[` + row.missing + `]}}}`), nil
		}}
		tool := tools.All(tools.Options{})[3]
		tool.Schema(ctx, server, "", "") // now the schema is cached
		text := useIn(ctx, t, tool, server, []byte(row.arguments)).Text
		if printed := strings.Contains(text, " in the name"); printed != (row.want != "") || !strings.Contains(text, row.want) {
			t.Errorf("%s: want %q in\n%s", row.arguments, row.want, text)
		}
	}
}

// Nothing is read for names of streams unless a word is known to match no record.
func TestNamesOfStreamsAreOnlyReadForMissingWords(t *testing.T) {
	for _, answer := range []string{`{"data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1,"recall":{"partial_count":0}}}`, `{"data":[` + hitAt("notes", "1", "") + `]}`} {
		server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(answer), nil }}
		if searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":"whatsapp papa"}`); len(server.Requests()) != 1 {
			t.Errorf("%s: %q", answer, server.Lines())
		}
	}
}
