package integration

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A question is what a person wants to know, and the calls of a model that knows only the question: no stream, id or value, and no limit.
type question struct {
	asks  string
	token string // "" is the client's
	walk  func(c *client) (seen string)
	want  string // in what was seen last
}

// one makes one call.
func one(tool, arguments string) func(c *client) string {
	return func(c *client) string { return c.get(callOf(tool, arguments)) }
}

// afterIndex reads which streams and connections exist, and makes a call that names only these.
func afterIndex(tool, arguments string) func(c *client) string {
	return func(c *client) string {
		index, asked := c.get(call{"schema", map[string]any{}}), callOf(tool, arguments)
		for _, name := range []string{"stream", "connection_id"} {
			if known, _ := asked.arguments[name].(string); !strings.Contains(index, known) {
				c.t.Errorf("%q is not in the index", known)
			}
		}
		return c.get(asked)
	}
}

// thenFetch fetches the hits of a search, best first, until a document has a text.
func thenFetch(arguments, want string) func(c *client) string {
	return func(c *client) string {
		asked := callOf("search", arguments)
		seen := c.get(asked)
		if strings.Contains(seen, want) {
			return seen
		}
		ids := c.hits(asked, seen).ids
		for _, id := range ids[:min(len(ids), 4)] {
			if seen = c.get(call{"fetch", map[string]any{"id": id}}); strings.Contains(seen, want) {
				break
			}
		}
		return seen
	}
}

// thenMeant sends the call that an empty answer proposes, or the search that finds what was meant.
func thenMeant(tool, arguments string) func(c *client) string {
	return func(c *client) string {
		seen := c.get(callOf(tool, arguments))
		var answer struct {
			Conditions []struct {
				Meant, Search struct {
					Tool      string
					Arguments map[string]any
				}
			}
		}
		if json.Unmarshal([]byte(strings.ReplaceAll(seen, `"did_you_mean"`, `"meant"`)), &answer) == nil {
			for _, condition := range answer.Conditions {
				if condition.Search.Tool != "" {
					condition.Meant = condition.Search
				}
				if condition.Meant.Tool != "" {
					return c.get(call{condition.Meant.Tool, condition.Meant.Arguments})
				}
			}
		}
		for line := range strings.Lines(seen) {
			for _, before := range []string{"Did you mean: ", "To find it by its words: "} {
				if next := printedCallIn(strings.TrimSpace(line), before); next != nil {
					return c.get(*next)
				}
			}
		}
		return seen
	}
}

// thereAlso makes the call that reads the same from a connection that lacks a field of the first call.
func thereAlso(tool, arguments string) func(c *client) string {
	return func(c *client) string {
		seen := c.get(callOf(tool, arguments))
		if found := sameThere.FindStringSubmatch(seen); found != nil {
			return c.get(parseCall(c.t, found[1]))
		}
		var answer missingFields
		if json.Unmarshal([]byte(seen), &answer) == nil && len(answer.Data.Missing) > 0 {
			instead := answer.Data.Missing[0].Instead
			return c.get(call{instead.Tool, instead.Arguments})
		}
		return seen
	}
}

// thenAggregate searches and makes the aggregation that the answer proposes.
func thenAggregate(q string) func(c *client) string {
	return func(c *client) string {
		seen := strings.ReplaceAll(c.get(call{"search", map[string]any{"q": q}}), `\"`, `"`) // structured output has it in a string
		at := strings.Index(seen, "aggregate {")
		if at < 0 {
			c.t.Errorf("%s: no aggregation is proposed", q)
			return ""
		}
		var arguments map[string]any
		if err := json.NewDecoder(strings.NewReader(seen[at+len("aggregate "):])).Decode(&arguments); err != nil {
			c.t.Error(err)
		}
		return c.get(call{"aggregate", arguments})
	}
}

func questions() []question {
	return []question{
		{asks: "How much did I spend at Towpath Running this year, as asked?", walk: thenAggregate("How much did I spend at Towpath Running in 2026?"), want: "1073.95|\"value\":1073.95"},
		{asks: "How many mails did Grace Liu send in June, as asked?", walk: thenAggregate("How many mails from Grace Liu in June 2026?"), want: "4 messages|\"value\":4"},
		{asks: "What was on 12 November?", walk: one("search", `{"since":"2026-11-12","until":"2026-11-12"}`), want: "Choir"},
		{asks: "What was on 12 November, over a package?", token: "package", walk: one("search", `{"since":"2026-11-12","until":"2026-11-12"}`), want: "Choir"},
		{asks: "What was in the first days of May?", walk: one("search", `{"since":"2026-05-01","until":"2026-05-03"}`), want: "2026-05-03"},
		{asks: "Was there mail about an invoice in May?", walk: one("search", `{"q":"invoice","since":"2026-05","until":"2026-05"}`), want: "May invoice run"},
		{asks: "Is there a dentist appointment from today on?", walk: one("search", `{"q":"dentist","since":"2026-11-23"}`), want: "stale"},
		{asks: "Did I talk to a lawyer in June?", walk: one("search", `{"q":"lawyer","since":"2026-06","until":"2026-06"}`), want: "lawyer"},
		{asks: "Which orders were canceled?", walk: thenMeant("query_records", `{"stream":"orders","filter":{"status":"canceled"}}`), want: "cancelled"},
		{asks: "What does Marcus Webb write?", walk: thenMeant("query_records", `{"stream":"messages","connection_id":"Work mail","filter":{"from_name":"Marcus Web"}}`), want: "Marcus Webb"},
		{asks: "What was in that order, by its handle?", walk: thenMeant("query_records", `{"stream":"order_items","filter":{"order_id":"cin_shop/orders:2026-0238"}}`), want: "Sourdough loaf"},
		{asks: "What is said in the channel lantern?", walk: thenMeant("query_records", `{"stream":"messages","filter":{"channel_id":"Lantern"}}`), want: "C03"},
		{asks: "What is said in the channel lantern, over a package?", token: "package", walk: thenMeant("query_records", `{"stream":"messages","connection_id":"Team chat","filter":{"channel_id":"lantern"}}`), want: "C03"},
		{asks: "How many were said there?", walk: thenMeant("aggregate", `{"stream":"messages","metric":"count","filter":{"channel_id":"lantern","sent_at":{"gte":"2026-01-01"}}}`), want: "92 messages|\"value\":92"},
		{asks: "Which mails belong to a thread, by its subject?", walk: thenMeant("query_records", `{"stream":"messages","connection_id":"Work mail","filter":{"thread_id":"Invoice TW-2041 to Porto Maritime"}}`), want: "TW-2041"},
		{asks: "Which note has the passport?", walk: thenMeant("query_records", `{"stream":"notes","filter":{"title":"Passport"}}`), want: "note-0036"},
		{asks: "Which note of this year has it?", walk: thenMeant("query_records", `{"stream":"notes","filter":{"title":"passport","created_at":{"gte":"2026-01-01"}}}`), want: "note-"},
		{asks: "What did Marcus write, by one word of a subject?", walk: thenMeant("query_records", `{"stream":"messages","filter":{"subject":"invoice"}}`), want: "invoice run"},
		{asks: "Which note has an id that is its title?", walk: thenMeant("query_records", `{"stream":"notes","filter":{"id":"Passport"}}`), want: "note-0036"},
		{asks: "What did Tom write last?", walk: one("search", `{"q":"latest mail from Tom Hale"}`), want: "The newest of & Tom Hale & query_records & from_name & cin_mail_personal"},
		{asks: "How many of my orders came?", walk: one("search", `{"q":"Wie viele Bestellungen habe ich?"}`), want: "aggregate counts and sums|aggregate"},
		{asks: "Did the bank ever write to me?", walk: one("aggregate", `{"stream":"messages","metric":"count","filter":{"from_name":"Barclays"}}`), want: "0 messages|\"value\":0"},
		{asks: "What does Marcus write, wherever it is?", walk: thereAlso("query_records", `{"stream":"messages","filter":{"from_name":"Marcus Webb"},"limit":3}`), want: "cin_chat_team"},
		{asks: "Who says most in the chat, where senders have another name?", walk: thereAlso("aggregate", `{"stream":"messages","metric":"count","group_by":"from_name"}`), want: "Dmitri Sokolov & 91"},
		{asks: "How many messages do I have, and where?", walk: one("aggregate", `{"stream":"messages","metric":"count"}`), want: "Team chat"},
		{asks: "What do I spend, by month?", walk: one("aggregate", `{"stream":"orders","metric":"sum","field":"total","group_by_time":"ordered_at","granularity":"month"}`), want: "2026-03"},
		{asks: "What do all things that I bought cost?", walk: one("aggregate", `{"stream":"order_items","metric":"sum","field":"unit_price"}`), want: "6186.52 & GBP & EUR & \"stream\":\"orders\""},
		{asks: "What did the loaf cost?", walk: one("aggregate", `{"stream":"order_items","metric":"sum","field":"unit_price","filter":{"order_id":"2026-0238"}}`), want: "4.4 GBP|\"unit\":\"GBP\""},
		{asks: "How many things did I buy?", walk: one("aggregate", `{"stream":"order_items","metric":"sum","field":"quantity"}`), want: "403 · 292 records|\"reads\":1|\"value\":403"},
		{asks: "Where do I shop most?", walk: one("aggregate", `{"stream":"orders","metric":"count","group_by":"merchant"}`), want: "Harvest Lane Groceries"},
		{asks: "How old are my data?", walk: one("schema", `{}`), want: "2026-11-14"},
		{asks: "What do the attached minutes of the Kestrel weekly say?", walk: thenFetch(`{"q":"minutes kestrel weekly txt","streams":["attachments"]}`, "turn it on for Cork first"), want: "turn it on for Cork first"},
		{asks: "What is my most expensive order?", walk: afterIndex("query_records", `{"stream":"orders","sort":"-total"}`), want: "412.6"},
		{asks: "What is my cheapest order?", walk: afterIndex("query_records", `{"stream":"orders","sort":"total"}`), want: "2026-0170"},
		{asks: "What did I spend in May?", walk: afterIndex("aggregate", `{"stream":"orders","metric":"sum","field":"total","filter":{"ordered_at":{"gte":"2026-05-01","lte":"2026-05-31"}}}`), want: "618.6 & 337.65"},
		{asks: "What did I spend at Towpath Running?", walk: afterIndex("aggregate", `{"stream":"orders","metric":"sum","field":"total","filter":{"merchant":"Towpath Running"}}`), want: "1256.55"},
		{asks: "What do I spend where?", walk: afterIndex("aggregate", `{"stream":"orders","metric":"sum","field":"total","group_by":"merchant"}`), want: "Thread and Needle & 1250.35"},
		{asks: "How many orders came, and how many did not?", walk: afterIndex("aggregate", `{"stream":"orders","metric":"count","group_by":"status"}`), want: "delivered & 133 & cancelled"},
		{asks: "What did I buy at Quayside Cycles?", walk: afterIndex("query_records", `{"stream":"orders","filter":{"merchant":"Quayside Cycles"},"expand":["order_items"]}`), want: "Bicycle bell, brass"},
		{asks: "Which orders are on their way?", walk: afterIndex("query_records", `{"stream":"orders","filter":{"status":"shipped"}}`), want: "39.35 & 2026-11-09"},
		{asks: "How many orders were canceled?", walk: thenMeant("aggregate", `{"stream":"orders","metric":"count","filter":{"status":"canceled"}}`), want: "2 orders|\"value\":2"},
		{asks: "What is next in my calendar?", walk: afterIndex("query_records", `{"stream":"events","filter":{"starts_at":{"gte":"2026-11-23"}}}`), want: "2025-11-16 & 2026-11-12"},
		{asks: "How many orders were there before?", walk: afterIndex("aggregate", `{"stream":"orders","metric":"count","filter":{"ordered_at":{"lt":"2025-01-01"}}}`), want: "2025-11 & 2026-11-14"},
		{asks: "What is the last thing in my calendar?", walk: afterIndex("query_records", `{"stream":"events"}`), want: "Swimming, Ida"},
		{asks: "What is in my calendar in the week of Oslo?", walk: afterIndex("query_records", `{"stream":"events","filter":{"starts_at":{"gte":"2026-06-08","lte":"2026-06-12"}}}`), want: "Talk at the Oslo harbour days & Japanese lesson"},
		{asks: "How many appointments did I have in April?", walk: afterIndex("aggregate", `{"stream":"events","metric":"count","filter":{"starts_at":{"gte":"2026-04-01","lte":"2026-04-30"}}}`), want: "38 events|\"value\":38"},
		{asks: "In which month did I have most appointments?", walk: afterIndex("aggregate", `{"stream":"events","metric":"count","group_by_time":"starts_at","granularity":"month"}`), want: "2025-12 & 41"},
		{asks: "Where do I meet most?", walk: afterIndex("aggregate", `{"stream":"events","metric":"count","group_by":"location"}`), want: "Harbour room & 77"},
		{asks: "When was Biscuit at the vet?", walk: afterIndex("query_records", `{"stream":"events","filter":{"location":"Redcliffe Vets"}}`), want: "2026-09-15"},
		{asks: "On which days am I away?", walk: afterIndex("query_records", `{"stream":"events","filter":{"is_all_day":true}}`), want: "Cornwall, camping & Kyoto"},
		{asks: "Who writes to me most at home?", walk: afterIndex("aggregate", `{"stream":"messages","connection_id":"Personal mail","metric":"count","group_by":"from_name"}`), want: "Fernlink Broadband & 27"},
		{asks: "How many people write to me at home?", walk: afterIndex("aggregate", `{"stream":"messages","connection_id":"Personal mail","metric":"count_distinct","field":"from_name"}`), want: "= 37|\"value\":37"},
		{asks: "When did I last hear from the dentist?", walk: afterIndex("query_records", `{"stream":"messages","connection_id":"Personal mail","filter":{"from_name":"Harbourside Dental"}}`), want: "2026-11-10"},
		{asks: "Which mails at work have I not read?", walk: afterIndex("query_records", `{"stream":"messages","connection_id":"Work mail","filter":{"is_seen":false}}`), want: "Please rotate the keys for Atlas & Packing for the Oslo installation"},
		{asks: "What came with the invoice to Porto Maritime?", walk: afterIndex("query_records", `{"stream":"messages","connection_id":"Work mail","filter":{"subject":"Invoice TW-2041 to Porto Maritime"},"expand":["attachments"]}`), want: "invoice-tw-2041-readings.csv"},
		{asks: "Which is the longest exchange of mails at work?", walk: afterIndex("query_records", `{"stream":"threads","connection_id":"Work mail","sort":"-message_count"}`), want: "Readings from berth four look wrong"},
		{asks: "What kinds of files do I have?", walk: afterIndex("aggregate", `{"stream":"attachments","metric":"count","group_by":"content_type"}`), want: "application/pdf & 53"},
		{asks: "How large are all attachments?", walk: afterIndex("aggregate", `{"stream":"attachments","metric":"sum","field":"size_bytes"}`), want: "48285280"},
		{asks: "Who writes most in the chat?", walk: afterIndex("aggregate", `{"stream":"messages","connection_id":"Team chat","metric":"count","group_by":"user_name"}`), want: "Dmitri Sokolov & 91"},
		{asks: "What did Dmitri write last in the chat?", walk: afterIndex("query_records", `{"stream":"messages","connection_id":"Team chat","filter":{"user_name":"Dmitri Sokolov"}}`), want: "3 portions of tomato galette"},
		{asks: "Which channels are there?", walk: afterIndex("query_records", `{"stream":"channels"}`), want: "kestrel-field & incidents"},
		{asks: "Which channel is closed?", walk: afterIndex("query_records", `{"stream":"channels","filter":{"is_archived":true}}`), want: "lisbon-offsite"},
		{asks: "How do people react?", walk: afterIndex("aggregate", `{"stream":"reactions","metric":"count","group_by":"emoji"}`), want: "joy & 54"},
		{asks: "Which note is in Swedish?", walk: afterIndex("query_records", `{"stream":"notes","filter":{"language":"sv"}}`), want: "Mormors bullar"},
		{asks: "What did I note last?", walk: afterIndex("query_records", `{"stream":"notes"}`), want: "Bruton: what to see"},
		{asks: "What do I spend in a week?", walk: one("aggregate", `{"stream":"orders","metric":"sum","field":"total","group_by_time":"ordered_at","granularity":"week"}`), want: "2026-01-12 & 521.5"},
		{asks: "Who reacts most?", walk: one("aggregate", `{"stream":"reactions","metric":"count","group_by":"user_name"}`), want: "Hannah Cole & 43"},
		{asks: "Who wrote how much in November?", walk: one("aggregate", `{"stream":"messages","connection_id":"cin_chat_team","metric":"count","group_by":"user_name","filter":{"sent_at":{"gte":"2026-11-01"}}}`), want: "Hannah Cole & 5"},
		{asks: "When did we last go swimming?", walk: thenMeant("query_records", `{"stream":"events","filter":{"title":"Swimming"},"limit":1}`), want: "2026-10-24"},
		{asks: "When was the first choir?", walk: thenMeant("query_records", `{"stream":"events","filter":{"title":"choir"},"sort":"starts_at","limit":1}`), want: "evt-0010"},
		{asks: "What did the bell cost compared with the bicycle?", walk: one("search", `{"q":"bicycle bell","streams":["order_items"]}`), want: "2026%2FS207-2 & 2026%2FS207-1|S207-2 & S207-1"},
		{asks: "What costs most on average, by shop?", walk: one("aggregate", `{"stream":"orders","metric":"avg","field":"total","group_by":"merchant"}`), want: "Towpath Running & 78.534375 & other_count"},
		{asks: "Which file came with the minutes?", walk: one("query_records", `{"stream":"attachments","filter":{"message_id":"w-m0666"}}`), want: "minutes-lantern-weekly.txt"},
		{asks: "What happened at the vet's?", walk: one("search", `{"q":"Redcliffe Vets"}`), want: "Biscuit's check-up & Biscuit at the vet"},
		{asks: "What was in mail and calendar on 12 March?", walk: one("search", `{"since":"2026-03-12","until":"2026-03-12","streams":["events","messages"]}`), want: "Dentist, Dr Anand & Class trip to Cardiff"},
		{asks: "What did I meet Ines for on 12 March?", walk: one("search", `{"q":"meeting with Ines on 12 March"}`), want: "\"q\":\"Ines\" & \"since\":\"20 & -03-12\""},
		{asks: "Which invoices are not Porto's?", walk: one("search", `{"q":"invoice NOT porto NOT maritime","limit":10}`), want: "May invoice run"},
		{asks: "War ich je in Berlin?", walk: one("search", `{"q":"War ich je in Berlin?"}`), want: "\"Berlin\" & nowhere in the fields that search reads"},
		{asks: "¿Cuándo es mi cita con el dentista?", walk: one("search", `{"q":"¿Cuándo es mi cita con el dentista?"}`), want: "cin_calendar_home/events:evt-0150 & cita"},
		{asks: "Quand est mon rendez-vous chez le dentiste ?", walk: one("search", `{"q":"Quand est mon rendez-vous chez le dentiste ?"}`), want: "evt-0150"},
		{asks: "Did I ever order a tent?", walk: one("search", `{"q":"did I ever order a tent"}`), want: "Tent, the good mallet"},
		{asks: "Where is the recipt, written so?", walk: one("search", `{"q":"recipt Ribeira"}`), want: "recipt & receipt & Ribeira Pantry"},
		{asks: "What is in the last mails at home?", walk: one("query_records", `{"stream":"messages","connection_id":"Personal mail"}`), want: "p-m0541 & p-m0517"},
		{asks: "Which is the longest thread of both mailboxes?", walk: one("query_records", `{"stream":"threads","sort":"-message_count","limit":3}`), want: "Lunch at ours in July & Readings from berth four look wrong"},
		{asks: "What was said in the whole thread?", walk: one("query_records", `{"stream":"messages","connection_id":"cin_mail_work","filter":{"thread_id":"w-t0010"},"expand":["message_bodies"]}`), want: "The exercise is the one with the noisy tide curve"},
	}
}

// A channelLimit is a channel, and how many characters an answer may have there on average.
type channelLimit struct {
	channel
	most int
}

// S4-R4: each channel alone answers a person's questions, within an average size.
func TestQuestions(t *testing.T) {
	for name, limit := range map[string]channelLimit{"text": {contentOnly{}, 4000}, "structured": {structuredOnly{}, 10_000}} {
		t.Run(name, func(t *testing.T) { askAll(t, questions(), limit, nil) })
	}
}

// askAll asks questions on a channel. open are those known not to be answered.
func askAll(t *testing.T, all []question, limit channelLimit, open []string) {
	var mu sync.Mutex
	var missed []string
	calls, characters := 0, 0
	t.Run("asked", func(t *testing.T) {
		for _, q := range all {
			t.Run(q.asks, func(t *testing.T) {
				t.Parallel()
				token := map[string]string{"": sample.ClientToken, "package": sample.PackageToken}[q.token]
				c := newClient(t, sample.MCPURL, token, limit.channel)
				seen := q.walk(c)
				c.answersProposals()
				mu.Lock()
				defer mu.Unlock()
				if !isAnswered(seen, q.want) {
					missed = append(missed, q.asks)
				}
				calls, characters = calls+c.calls, characters+c.characters
				t.Logf("%d calls, %d characters", c.calls, c.characters)
			})
		}
	})
	slices.Sort(missed)
	slices.Sort(open)
	t.Logf("%d of %d questions, %.2f calls and %d characters each", len(all)-len(missed), len(all), float64(calls)/float64(len(all)), characters/len(all))
	if !slices.Equal(missed, open) {
		t.Errorf("not answered: %q", missed)
	}
	if calls*2 > len(all)*5 || characters > limit.most*len(all) {
		t.Errorf("at most 2.5 calls and %d characters on average", limit.most)
	}
}
