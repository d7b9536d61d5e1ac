package sample

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A recordKey identifies a record of a corpus.
type recordKey struct{ connection, stream, id string }

// The connections of the year.
const (
	workMail     = "cin_mail_work"
	personalMail = "cin_mail_personal"
	teamChat     = "cin_chat_team"
	homeCalendar = "cin_calendar_home"
	shopAccount  = "cin_shop"
	notebook     = "cin_notes"
)

// The year runs from 16 November 2025 to 14 November 2026.
var (
	yearStart = time.Date(2025, time.November, 16, 0, 0, 0, 0, time.UTC)
	yearEnd   = time.Date(2026, time.November, 15, 0, 0, 0, 0, time.UTC)
)

// year reads the sample year and fails if anything is left out.
func year(t *testing.T) model.Corpus {
	t.Helper()
	corpus, err := open(t.Context(), importer.Watch{Skipped: func(skip importer.Skip) { t.Errorf("skipped %s", skip) }})
	if err != nil {
		t.Fatal(err)
	}
	return corpus
}

// collectRecords reads a corpus to its end.
func collectRecords(t *testing.T, corpus model.Corpus) []model.Record {
	t.Helper()
	var records []model.Record
	for record, err := range corpus.Records {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

// decoded returns the data of every record by its key, and fails on a repeated key.
func decoded(t *testing.T, records []model.Record) map[recordKey]map[string]any {
	t.Helper()
	all := make(map[recordKey]map[string]any, len(records))
	for _, record := range records {
		key := recordKey{record.ConnectionID, record.Stream, record.ID}
		if all[key] != nil {
			t.Errorf("%v occurs twice", key)
		}
		var data map[string]any
		if err := json.Unmarshal(record.Data, &data); err != nil {
			t.Fatalf("%v: %v", key, err)
		}
		all[key] = data
	}
	return all
}

// streamOf returns the description of a record's stream.
func streamOf(corpus model.Corpus, record model.Record) (model.Stream, bool) {
	for _, connector := range corpus.Connectors {
		if !slices.ContainsFunc(connector.Connections, func(c model.Connection) bool { return c.ID == record.ConnectionID }) {
			continue
		}
		for _, stream := range connector.Streams {
			if stream.Name == record.Stream {
				return stream, true
			}
		}
	}
	return model.Stream{}, false
}

func TestYearHasRecordsInEveryStream(t *testing.T) {
	counts := map[string]int{}
	records := collectRecords(t, year(t))
	for _, record := range records {
		counts[record.ConnectionID+" "+record.Stream]++
	}
	want := map[string]int{
		workMail + " messages": 700, workMail + " message_bodies": 700, workMail + " attachments": 40, workMail + " threads": 330,
		personalMail + " messages": 500, personalMail + " message_bodies": 500, personalMail + " attachments": 40, personalMail + " threads": 370,
		teamChat + " channels": 8, teamChat + " messages": 700, teamChat + " reactions": 250,
		homeCalendar + " events": 400, shopAccount + " orders": 140, shopAccount + " order_items": 250, notebook + " notes": 190,
	}
	for name, least := range want {
		if counts[name] < least || counts[name] > least+150 {
			t.Errorf("%s has %d records, want about %d", name, counts[name], least)
		}
		delete(counts, name)
	}
	if len(counts) > 0 {
		t.Errorf("unexpected streams: %v", counts)
	}
	if len(records) < 5000 || len(records) > 6000 {
		t.Errorf("%d records in all", len(records))
	}
}

func TestYearIsInTheOrderOfEmissionAndWithinItsYear(t *testing.T) {
	before := yearStart
	for _, record := range collectRecords(t, year(t)) {
		if record.EmittedAt.Before(before) || !record.EmittedAt.Before(yearEnd) {
			t.Fatalf("%s %s %s is emitted at %v, after %v", record.ConnectionID, record.Stream, record.ID, record.EmittedAt, before)
		}
		before = record.EmittedAt
	}
}

func TestYearRecordsAreWhatTheirStreamsDeclare(t *testing.T) {
	corpus := year(t)
	for _, record := range collectRecords(t, corpus) {
		stream, ok := streamOf(corpus, record)
		if !ok {
			t.Fatalf("no stream %s under %s", record.Stream, record.ConnectionID)
		}
		var data map[string]any
		if err := json.Unmarshal(record.Data, &data); err != nil {
			t.Fatal(err)
		}
		for _, field := range stream.Fields {
			value, present := data[field.Name]
			delete(data, field.Name)
			if !present || !isOfType(value, field) {
				t.Fatalf("%s %s: field %s is %v, want %s", record.Stream, record.ID, field.Name, value, field.Type)
			}
			if field.Name == "id" && value != record.ID {
				t.Fatalf("%s %s has the id %v in its data", record.Stream, record.ID, value)
			}
		}
		if len(data) > 0 {
			t.Fatalf("%s %s has fields that are not declared: %v", record.Stream, record.ID, data)
		}
	}
}

// Only all-day events have dates, which no time zone changes; all others have times.
func TestEventsOfTheYearAreOnDaysOrAtTimes(t *testing.T) {
	for _, record := range collectRecords(t, year(t)) {
		var event struct {
			Starts string `json:"starts_at"`
			Ends   string `json:"ends_at"`
			AllDay bool   `json:"is_all_day"`
		}
		if err := json.Unmarshal(record.Data, &event); err != nil {
			t.Fatal(err)
		}
		days := len(event.Starts) == len(time.DateOnly) && len(event.Ends) == len(time.DateOnly)
		if record.Stream == "events" && days != event.AllDay {
			t.Errorf("%s is from %s to %s", record.ID, event.Starts, event.Ends)
		}
	}
}

func isOfType(value any, field model.Field) bool {
	if value == nil {
		return field.Nullable
	}
	switch field.Type {
	case "string", "text":
		_, ok := value.(string)
		return ok
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "integer":
		number, ok := value.(float64)
		return ok && number == float64(int64(number))
	case "number":
		_, ok := value.(float64)
		return ok
	case "timestamp":
		text, _ := value.(string)
		_, err := time.Parse(time.RFC3339, text)
		_, notDay := time.Parse(time.DateOnly, text) // all-day events have dates
		return err == nil || notDay == nil
	case "array":
		_, ok := value.([]any)
		return ok
	case "object", "blob":
		_, ok := value.(map[string]any)
		return ok
	}
	return false
}

func TestYearStreamsNameFieldsThatTheyHave(t *testing.T) {
	for _, connector := range year(t).Connectors {
		for _, stream := range connector.Streams {
			named := slices.Concat(stream.PrimaryKey, []string{stream.CursorField, stream.ConsentTimeField})
			for _, view := range stream.Views {
				named = append(named, view.Fields...)
			}
			for _, name := range named {
				if name != "" && !slices.ContainsFunc(stream.Fields, func(field model.Field) bool { return field.Name == name }) {
					t.Errorf("%s %s names a field %s, which it does not have", connector.Key, stream.Name, name)
				}
			}
			titles := slices.DeleteFunc(slices.Clone(stream.Fields), func(field model.Field) bool { return field.Role != "primary-title" })
			if len(titles) != 1 && stream.Name != "reactions" {
				t.Errorf("%s %s has %d titles", connector.Key, stream.Name, len(titles))
			}
		}
	}
}

func TestYearRelationsLeadToRecords(t *testing.T) {
	corpus := year(t)
	all := decoded(t, collectRecords(t, corpus))
	relations := 0
	for _, connector := range corpus.Connectors {
		for _, stream := range connector.Streams {
			for _, relation := range stream.Relations {
				relations++
				children := 0
				parents := map[recordKey]int{}
				for key, data := range all {
					if key.stream != relation.Target || !slices.ContainsFunc(connector.Connections, func(c model.Connection) bool { return c.ID == key.connection }) {
						continue
					}
					foreign, _ := data[relation.ForeignKey].(string)
					parent := recordKey{key.connection, stream.Name, foreign}
					if all[parent] == nil {
						t.Errorf("%s of %v leads to %v, which does not exist", relation.ForeignKey, key, parent)
					}
					children++
					parents[parent]++
					if relation.Cardinality == "has_one" && parents[parent] > 1 {
						t.Errorf("%v has more than one of %s", parent, relation.Name)
					}
				}
				if children == 0 {
					t.Errorf("relation %s of %s leads nowhere", relation.Name, stream.Name)
				}
			}
		}
	}
	if relations != 6 {
		t.Errorf("%d relations, want 6", relations)
	}
}

func TestYearCountsAgreeWithTheRecordsThatTheyCount(t *testing.T) {
	all := decoded(t, collectRecords(t, year(t)))
	counted := map[recordKey]float64{}
	totals := map[recordKey]float64{}
	for key, data := range all {
		switch key.stream {
		case "reactions":
			counted[recordKey{key.connection, "messages", data["message_id"].(string)}]++
		case "order_items":
			order := recordKey{key.connection, "orders", data["order_id"].(string)}
			counted[order] += data["quantity"].(float64)
			totals[order] += data["quantity"].(float64) * data["unit_price"].(float64)
		case "attachments":
			counted[recordKey{key.connection, "messages", data["message_id"].(string)}]++
		}
		if thread, ok := data["thread_id"].(string); ok {
			counted[recordKey{key.connection, "threads", thread}]++
		}
	}
	for key, data := range all {
		var want any
		switch {
		case key.stream == "messages" && key.connection == teamChat:
			want = data["reaction_count"]
		case key.stream == "messages":
			if data["has_attachments"] != (counted[key] > 0) {
				t.Errorf("%v has %v attachments and says has_attachments %v", key, counted[key], data["has_attachments"])
			}
			continue
		case key.stream == "threads":
			want = data["message_count"]
		case key.stream == "orders":
			want = data["item_count"]
			if difference := totals[key] - data["total"].(float64); difference > 0.001 || difference < -0.001 {
				t.Errorf("%v has total %v, and its items add up to %v", key, data["total"], totals[key])
			}
		default:
			continue
		}
		if want != counted[key] {
			t.Errorf("%v says %v, there are %v", key, want, counted[key])
		}
	}
}

func TestYearHasTheIDsThatClientsGetWrong(t *testing.T) {
	all := decoded(t, collectRecords(t, year(t)))
	for name, key := range map[string]recordKey{
		"an id with a colon and a dot":  {teamChat, "messages", "C02:1767225899.000100"},
		"an id with a slash":            {shopAccount, "orders", "2026/0042"},
		"a child of an id with a slash": {shopAccount, "order_items", "2026/0042-1"},
	} {
		if all[key] == nil {
			t.Errorf("%s is missing: %v", name, key)
		}
	}
	for _, id := range []string{"dup-1", "dup-2", "dup-3", "dup-4"} {
		for _, stream := range []string{"messages", "message_bodies"} {
			if all[recordKey{workMail, stream, id}] == nil || all[recordKey{personalMail, stream, id}] == nil {
				t.Errorf("%s of %s is not in both mailboxes", id, stream)
			}
		}
	}
	perMessage := map[string]int{}
	for key, data := range all {
		if key.stream == "attachments" {
			perMessage[data["message_id"].(string)]++
		}
	}
	if most := slices.Max(slices.Collect(func(yield func(int) bool) {
		for _, count := range perMessage {
			if !yield(count) {
				return
			}
		}
	})); most <= 10 {
		t.Errorf("no message has more attachments than a relation shows by default: %d", most)
	}
}

func TestYearHasLongNotesInThreeScripts(t *testing.T) {
	long := map[string]string{}
	for key, data := range decoded(t, collectRecords(t, year(t))) {
		if body, _ := data["body"].(string); key.stream == "notes" && utf8.RuneCountInString(body) > 60_000 {
			long[data["language"].(string)] = body
		}
	}
	for language, sample := range map[string]string{"ja": "日本語", "ar": "العربية", "en": "\U0001F469\u200D\U0001F468\u200D\U0001F467"} {
		if !strings.Contains(long[language], sample) {
			t.Errorf("the long note in %s is missing or has no %q", language, sample)
		}
	}
	for _, sample := range []string{"\U0001F1F5\U0001F1F9", "cafe\u0301", "\U0001F6B6\U0001F3FD\u200D\u2640\uFE0F"} {
		if !strings.Contains(long["en"], sample) {
			t.Errorf("the English note has no %q", sample)
		}
	}
}
