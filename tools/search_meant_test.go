package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// askedOf searches mail, chat and orders, where no record has all words. It returns the answer's text.
func askedOf(t *testing.T, arguments string) string {
	t.Helper()
	const time = `"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt",`
	const schema = `{"detail":"compact","connectors":[` +
		`{"connector_key":"gmail","granted_connections":[{"connection_id":"mail"}],"streams":[{"name":"messages","field_capabilities":{` + time +
		`"from_name":"t=string,role=actor,eq,lex,a=group_by","from_email":"t=string,eq,lex,a=group_by","to":"t=array","cc":"t=array",` +
		`"subject":"t=text,role=primary-title,lex"}}]},` +
		`{"connector_key":"slack","granted_connections":[{"connection_id":"chat","display_name":"Team chat"}],"streams":[` +
		`{"name":"channels","field_capabilities":{"name":"t=string,role=primary-title,eq,lex,a=group_by"},"expand_capabilities":[` +
		`{"name":"messages","cardinality":"has_many","target_stream":"messages","foreign_key":"channel_id"}]},` +
		`{"name":"messages","field_capabilities":{` + time + `"user":"t=string,role=actor,eq,lex,a=group_by","channel_id":"t=string,eq,a=group_by","text":"t=text,lex"}}]},` +
		`{"connector_key":"shop","granted_connections":[{"connection_id":"shop"}],"streams":[{"name":"orders","field_capabilities":{` + time +
		`"merchant":"t=string,role=primary-title,eq,lex,a=group_by","total":"t=number,eq,r=gte|lte,a=sum"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(schema), nil
		case r.Path == "/v1/streams/channels/records":
			return middlewaretest.JSON(`{"object":"list","data":[{"id":"C1","data":{"name":"lantern"}},{"id":"C2","data":{"name":"kestrel-field"}}]}`), nil
		case r.Query.Get("metric") == "min":
			return middlewaretest.JSON(`{"value":1}`), nil
		case r.Query.Get("group_by") == "from_name":
			return middlewaretest.JSON(`{"groups":[{"key":"Me","count":9}]}`), nil
		case r.Query.Get("group_by") == "user":
			return middlewaretest.JSON(`{"groups":[{"key":"Ann Lee","count":9}]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + `{"stream":"messages","record_key":"1","connection_id":"mail","actor":"Grace Liu"}],"meta":{"count":1,"recall":{"partial_count":1,` +
			`"missing_words":["channel"]}}}`), nil
	}}
	result := use(t, tools.PlainSearch("https://rs.example"), server, json.RawMessage(arguments))
	for line := range strings.SplitSeq(result.Text, "\n") {
		isHint := strings.HasPrefix(line, "Neither") || strings.HasPrefix(line, "By ") || strings.HasPrefix(line, "In ")
		if isHint && !strings.Contains(result.Structured, strings.Trim(rs.EncodeJSON(line), `"`)) {
			t.Errorf("only the text of the answer to %s has %s", arguments, line)
		}
	}
	return result.Text
}

// No search reads lists of recipients: a query for what was sent to somebody is answered with that, and with all of the most frequent sender.
func TestAQueryForWhatWasSentToSomebody(t *testing.T) {
	const says = "Neither search nor a filter reads to, cc of messages: hits may be to others."
	const sent = ` What the most frequent sender sent: query_records {"stream":"messages","fields":["to","cc","subject","at"],"filter":{"from_name":"Me"}}`
	for arguments, want := range map[string]string{
		`{"q":"mails to Grace"}`:                             says + sent,
		`{"q":"emails to grace liu"}`:                        says + sent,
		`{"q":"mails I sent to Yuki"}`:                       says + sent,
		`{"q":"what did I write to the Council?"}`:           says + sent,
		`{"q":"mails from Owen to Yuki"}`:                    says + sent,
		`{"q":"Was habe ich an Yuki geschrieben?"}`:          says + sent,
		`{"q":"courriels à Yuki"}`:                           says + sent,
		`{"q":"last mail to Grace"}`:                         says + sent,
		`{"q":"to Yuki","streams":["messages"]}`:             says + sent,
		`{"q":"who did I write to most"}`:                    says + sent,
		`{"q":"An wen schicke ich am häufigsten Mails?"}`:    says + sent,
		`{"q":"When did I last email Grace Liu?"}`:           says + sent,
		`{"q":"did I ever write Yuki"}`:                      says + sent,
		`{"q":"Wann habe ich Yuki zuletzt geschrieben?"}`:    says + sent,
		`{"q":"Wanneer heb ik Yuki een bericht gestuurd"}`:   says + sent,
		`{"q":"¿Cuándo escribí por última vez a Yuki?"}`:     says + sent,
		`{"q":"When did Grace last email me?"}`:              "",
		`{"q":"Did I get the email Grace sent?"}`:            "",
		`{"q":"Combien de messages Grace a-t-elle envoyés"}`: "",
		`{"q":"mails to Yuki in June 2026"}`:                 `"filter":{"from_name":"Me","at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`,
		`{"q":"mails to Yuki","since":"2026-06-01"}`:         `"filter":{"from_name":"Me","at":{"gte":"2026-06-01"}}}`,
		`{"q":"mails to Yuki","connection_id":"chat"}`:       "",
		`{"q":"mails to answer"}`:                            "",
		`{"q":"emails about my trip to Lisbon"}`:             "",
		`{"q":"mails from Grace"}`:                           "",
		`{"q":"to Yuki","streams":["orders"]}`:               "",
		`{"q":"the way to Lisbon"}`:                          "",
	} {
		if text := askedOf(t, arguments); !strings.Contains(text, want) || strings.Contains(text, says) != (want != "") {
			t.Errorf("%s: want %s in\n%s", arguments, want, text)
		}
	}
}

// A query for who or which has the most of something is offered the aggregation by a field that the query names.
func TestAQueryForWhoHasTheMost(t *testing.T) {
	const bySender = `By from_name, the owner's own included: aggregate {"stream":"messages","metric":"count","group_by":"from_name"}`
	const inChat = `By user, the owner's own included: aggregate {"stream":"messages","metric":"count","connection_id":"chat","group_by":"user"}`
	const byShop = `By merchant: aggregate {"stream":"orders","metric":"count","group_by":"merchant"}`
	for q, want := range map[string]string{
		"who sends me the most mail?":                         bySender,
		"Wer hat mir am häufigsten geschrieben?":              bySender,
		"Von wem bekomme ich die meisten Mails?":              bySender,
		"Qui m'écrit le plus souvent ?":                       bySender,
		"quién me escribe más":                                bySender,
		"Who sent the most messages in the chat?":             inChat,
		"Qui a envoyé le plus de messages dans le chat ?":     inChat,
		"Qui écrit le plus dans le chat ?":                    inChat,
		"Wer hat die meisten Nachrichten im Chat geschrieben": inChat,
		"¿Quién envió más mensajes en el chat?":               inChat,
		"Chi ha inviato più messaggi nella chat?":             inChat,
		"Quem enviou mais mensagens no chat?":                 inChat,
		"Qui m'a envoyé le plus de mails ?":                   bySender,
		"Qui a le plus grand jardin dans la ville ?":          "",
		"who sent the most messages in the lantern channel":   `By user, the owner's own included: aggregate {"stream":"messages","metric":"count","group_by":"user","filter":{"channel_id":"C1"}}`,
		"which shop do I buy from most":                       byShop,
		"Bei welchem Händler kaufe ich am meisten?":           byShop,
		"where did I spend the most in June 2026":             `By merchant: aggregate {"stream":"orders","metric":"sum","field":"total","group_by":"merchant","filter":{"at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`,
		"which channel has the most messages":                 `By channel_id: aggregate {"stream":"messages","metric":"count","group_by":"channel_id"}`,
		"who sends me the most mail about invoices":           "", // it would count the others too
		"which mail has the most attachments":                 "",
		"how many people are in the lantern channel":          "", // who wrote there is a part of them
		"who is the most important customer":                  "",
		"most recent mail":                                    "",
	} {
		if text := askedOf(t, `{"q":`+rs.EncodeJSON(q)+`}`); !strings.Contains(text, want) || strings.Contains(text, "aggregate {") != (want != "") {
			t.Errorf("%s: want %s in\n%s", q, want, text)
		}
	}
}

// A query for records that belong to one that it names, such as the messages of a channel, is offered the filter.
func TestAQueryForWhatBelongsToANamedRecord(t *testing.T) {
	const lantern = `"lantern" is named by channel_id of messages: `
	for q, want := range map[string]string{
		"messages from Owen in the lantern channel in May 2026": lantern + `search {"q":"Owen","streams":["messages"],"filter":{"channel_id":"C1"},` +
			`"since":"2026-05-01","until":"2026-05-31"}`,
		"messages in the Lantern channel":           lantern + `query_records {"stream":"messages","filter":{"channel_id":"C1"}}`,
		"how many messages in the lantern channel":  `aggregate {"stream":"messages","metric":"count","filter":{"channel_id":"C1"}}`,
		"messages by Owen in channel kestrel-field": `"kestrel-field" is named by channel_id of messages: search {"q":"Owen","streams":["messages"],"filter":{"channel_id":"C2"}}`,
		"messages in the lantern channel in 2026":   lantern + `query_records {"stream":"messages","filter":{"channel_id":"C1","at":{"gte":"2026-01-01","lte":"2026-12-31"}}}`,
		"messages in lantern":                       lantern + `query_records {"stream":"messages","filter":{"channel_id":"C1"}}`,
		"messages in #kestrel-field by Owen":        `search {"q":"Owen","streams":["messages"],"filter":{"channel_id":"C2"}}`,
		"how many messages in kestrel-field":        `aggregate {"stream":"messages","metric":"count","filter":{"channel_id":"C2"}}`,
		"Combien de messages dans le lantern ?":     `aggregate {"stream":"messages","metric":"count","filter":{"channel_id":"C1"}}`,
		"latest message in kestrel-field":           `The newest of that stream: query_records {"stream":"messages","limit":1,"filter":{"channel_id":"C2"}}`,
		"first message in the lantern channel":      `The oldest of that stream: query_records {"stream":"messages","order":"asc","limit":1,"filter":{"channel_id":"C1"}}`,
		"letzte Nachricht im Lantern":               `The newest of that stream: query_records {"stream":"messages","limit":1,"filter":{"channel_id":"C1"}}`,
		"last message about boats in lantern":       `In that stream alone: search {"q":"newest boats","streams":["messages"],"filter":{"channel_id":"C1"}}`,
		"last message Ann wrote in #lantern":        `The newest of "Ann Lee": query_records {"stream":"messages","connection_id":"chat","limit":1,"filter":{"user":"Ann Lee","channel_id":"C1"}}`,
		"letzte Nachricht im Kanal lantern":         `The newest of that stream: query_records {"stream":"messages","limit":1,"filter":{"channel_id":"C1"}}`,
		"última mensagem do Ann no canal lantern":   `The newest of "Ann Lee": query_records {"stream":"messages","connection_id":"chat","limit":1,"filter":{"user":"Ann Lee","channel_id":"C1"}}`,
		"latest message in a lantern box":           "",
		"last order in lantern":                     "",
		"messages in the kestrel channel":           "",
		"messages about the lantern":                "",
		"which channel has a lantern":               "",
	} {
		if text := askedOf(t, `{"q":`+rs.EncodeJSON(q)+`}`); !strings.Contains(text, want) || strings.Contains(text, "channel_id") != (want != "") {
			t.Errorf("%s: want %s in\n%s", q, want, text)
		}
	}
}

// A word that was read as part of a time is not reported as missing, on either channel; other words are.
func TestAWordOfATimeIsNotMissing(t *testing.T) {
	for q, want := range map[string]string{
		"factures de juin":                "factures",
		"rendez-vous en avril":            "rendez-vous",
		"demain":                          "",
		"Mails älter als Januar 2026":     "Mails",
		"pedidos en septiembre con llave": "pedidos llave",
		"juin":                            "juin",
	} {
		missing := strings.Join(strings.Split(q, " "), `","`)
		recall := `{"partial_count":0,"missing_words":["` + missing + `"],"nearest_words":[{"word":"` + strings.Split(q, " ")[0] + `","as":["x"]}],` +
			`"containing_words":[{"word":"älter","as":["y"]}],"inexact_words":[{"word":"avril","as":["april"]}]}`
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":` + recall + `}}`), nil
		}}
		result := use(t, tools.PlainSearch("https://rs.example"), server, json.RawMessage(`{"q":`+rs.EncodeJSON(q)+`}`))
		var got struct {
			Data struct {
				Meta struct {
					Recall struct {
						Missing []string `json:"missing_words"`
						Inexact []any    `json:"inexact_words"`
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(result.Structured), &got); err != nil {
			t.Fatal(err)
		}
		found := got.Data.Meta.Recall
		for _, word := range []string{"de", "en", "con"} { // the resource server would have left them out
			found.Missing = slices.DeleteFunc(found.Missing, func(missing string) bool { return missing == word })
		}
		if strings.Join(found.Missing, " ") != want || q != "juin" && found.Inexact != nil {
			t.Errorf("%s: %v are missing, %v inexact; want %q", q, found.Missing, found.Inexact, want)
		}
		if says := strings.Contains(result.Text, " nowhere "); says != (want != "") {
			t.Errorf("%s:\n%s", q, result.Text)
		}
	}
}
