package embedded

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A note is a record for the tests of search.
type note struct{ ID, Title, Text, Author, At, Status string }

// newNotes serves notes. The part of an id after @ is the thread.
func newNotes(t *testing.T, notes []note) *rig {
	t.Helper()
	stream := model.Stream{
		Name: "notes", PrimaryKey: []string{"id"}, CursorField: "at", ConsentTimeField: "at",
		Fields: []model.Field{
			{Name: "id", Type: "string", Exact: true},
			{Name: "title", Type: "text", Role: "primary-title", Lexical: true},
			{Name: "text", Type: "text", Lexical: true},
			{Name: "summary", Type: "text", Lexical: true},
			{Name: "author", Type: "string", Role: "actor"},
			{Name: "at", Type: "timestamp", Role: "event-time"},
			{Name: "thread_id", Type: "string", Exact: true, Nullable: true},
			{Name: "status", Type: "string", Nullable: true},
			{Name: "extra", Type: "object", Lexical: true},
		},
	}
	connectors := []model.Connector{{
		Key: "notes", SourceID: "https://registry.test/connectors/notes",
		Connections: []model.Connection{{ID: "cin_notes", DisplayName: "Notes"}}, Streams: []model.Stream{stream},
	}}
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	records := func(yield func(model.Record, error) bool) {
		for i, n := range notes {
			at := testNow.Add(-time.Duration(len(notes)-i) * 24 * time.Hour)
			if n.At != "" {
				at, _ = time.Parse(time.DateOnly, n.At)
			}
			id, thread, _ := strings.Cut(n.ID, "@")
			value := map[string]any{
				"id": id, "title": n.Title, "text": n.Text, "author": n.Author, "at": at.Format(time.RFC3339),
				"extra": map[string]any{"tags": []string{"nested" + id}},
			}
			if n.Status != "" {
				value["status"] = n.Status
			}
			if thread != "" {
				value["thread_id"] = thread
			}
			data, err := json.Marshal(value)
			if !yield(model.Record{ConnectionID: "cin_notes", Stream: "notes", ID: id, EmittedAt: at, Data: data}, err) {
				return
			}
		}
	}
	if err := store.Load(t.Context(), model.Corpus{Connectors: connectors, Records: records}, "notes", nil); err != nil {
		t.Fatal(err)
	}
	return newRigOver(t, store, Options{})
}

func searchFor(q string) string { return "/v1/search?limit=100&q=" + url.QueryEscape(q) }

// A hit says that its record is cancelled, since it shows no status field.
func TestAHitSaysThatItIsCancelled(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "off", Title: "Dinner", Text: "with Mia", Status: "CANCELLED"}, {ID: "us", Title: "Dinner", Text: "with Mia", Status: "canceled"},
		{ID: "on", Title: "Dinner", Text: "with Mia", Status: "confirmed"}, {ID: "unsaid", Title: "Dinner", Text: "with Mia"},
	})
	for _, hit := range r.ok("tok-owner", searchFor("mia")).list("data") {
		one := hit.(map[string]any)
		if isOff := one["record_key"] == "off" || one["record_key"] == "us"; (one["title"] == "Cancelled: Dinner") != isOff {
			t.Errorf("%v has the title %v", one["record_key"], one["title"])
		}
	}
}

// A word with an accent is only matched with its stem in texts of a language that has that stem.
func TestAccentsFoldOnlyWithinTheirLanguage(t *testing.T) {
	notes := []note{{ID: "two", Text: "Las canciones de Rosa y un café"}}
	for i := range 6 {
		notes = append(notes, note{ID: fmt.Sprint("n", i), Text: "Your bookmark is on a page that I have seen before."})
	}
	r := newNotes(t, notes)
	for q, want := range map[string]any{"pagué": nil, "canción": "all", "cafés": "all", "page": "all", "pages": "all"} {
		if got := r.ok("tok-owner", searchFor(q)); got.at("data", 0, "match") != want {
			t.Errorf("%s: %v; want %v", q, got.at("data"), want)
		}
	}
	for i := range 6 {
		notes[i+1].Text = "Hoy no hemos pagado el pan que tenemos para la casa."
	}
	if got := newNotes(t, notes).ok("tok-owner", searchFor("pagué")); got.at("data", 0, "match") != "all" {
		t.Errorf("in Spanish: %v", got.at("data"))
	}
}

// A phone number is found in any notation, in the text and in the query.
func TestThePhoneNumberIsFoundByItsDigits(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "apart", Title: "+33-6-00000007"}, {ID: "spaced", Title: "+33 6 00 00 00 07"}, {ID: "together", Title: "+33600000007"},
		{ID: "other", Title: "+33-6-00000008"}, {ID: "text", Text: "call +33-6-00000007"},
	})
	for _, q := range []string{"+33600000007", "33600000007", "+33 6 00 00 00 07", "+33-6-00000007", "(33) 6 0000 0007"} {
		var got []string
		for _, hit := range r.ok("tok-owner", searchFor(q)).list("data") {
			if hit.(map[string]any)["match"] == "all" {
				got = append(got, hit.(map[string]any)["record_key"].(string))
			}
		}
		slices.Sort(got)
		got = slices.DeleteFunc(got, func(id string) bool { return id == "text" }) // it is found as it is written there
		if diff := cmp.Diff([]string{"apart", "spaced", "together"}, got); diff != "" && q != "(33) 6 0000 0007" || len(got) < 2 {
			t.Errorf("%s (-want +got)\n%s", q, diff)
		}
	}
	for _, q := range []string{"2026 500 1000", "01.02.2026 15.30", "01.02.2026 - 05.02.", "(1/2/2026) 120000", "01.02. - 05.02.2026"} {
		if got := r.ok("tok-owner", searchFor(q)); len(got.at("meta", "recall", "missing_words").([]any)) < 2 {
			t.Errorf("several numbers in %s: %v", q, got.at("meta"))
		}
	}
}

func TestSearchInPlainWords(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "teeth", Title: "Dentist", Text: "The dentists moved my appointment to Monday.", Author: "Priya Shah"},
		{ID: "layer", Title: "Cake", Text: "A layer of sponge, a layer of cream.", Author: "Owen"},
		{ID: "money", Title: "Kaution", Text: "Wir haben die Rechnungen für die Wohnung bezahlt und die Kaution auch.", Author: "Jörg"},
		{ID: "refund", Title: "Shop", Text: "They refunded the shoes.", Author: "Owen"},
		{ID: "shoes", Title: "Walk", Text: "New shoes for the walk.", Author: "Priya Shah"},
		{ID: "tokyo", Title: "旅行", Text: "明日の会議は京都駅で行います。", Author: "Aiko"},
		{ID: "march", Title: "Trip", Text: "We saw the harbour.", Author: "Owen", At: "2026-03-14"},
		{ID: "april", Title: "Trip", Text: "We saw the harbour.", Author: "Owen", At: "2026-04-14"},
		{ID: "head", Title: "Boiler", Text: "It leaks.", Author: "Owen"},
		{ID: "body", Title: "House", Text: "The boiler leaks again at nine o'clock.", Author: "Owen"},
		{ID: "one@t", Title: "Plan", Text: "Where shall we put the piano?", Author: "Owen"},
		{ID: "two@t", Title: "Plan", Text: "Under the window, where the sofa is.", Author: "Priya"},
		{ID: "arabic", Title: "يوم", Text: "شربت الشاي والقهوة في البيت.", Author: "Owen"},
		{ID: "hebrew", Title: "יום", Text: "שתיתי את הקפה בבית.", Author: "Owen"},
		{ID: "diary", Title: "Diary", Text: "Sunday 12 April 2026 rain. April 15, 2026 sun. 16 May 2026 rain."},
		{ID: "code", Title: "Trip", Text: "The booking is QK7P2M."},
		{ID: "three", Title: "Sofa", Text: "Where is the sofa from? It is under guarantee, by the window.", Author: "Priya"},
		{ID: "gauge", Title: "Gauge", Text: "Since yesterday the gauge is silent.", At: "2026-01-09"},
		{ID: "dollars", Title: "Mast", Text: "New ones are $2,350.", At: "2026-01-08"},
		{ID: "euros", Title: "Mast", Text: "Neu kostet er 2.350,00 Euro.", At: "2026-01-07"},
		{ID: "plain", Title: "Mast", Text: "Paid 2350 for 10.", At: "2026-01-06"},
	})
	for _, test := range []struct {
		name, q string
		first   []string // hits, in order
		recall  map[string]any
	}{
		{"a question finds its record", "when is my next dentist appointment?", []string{"teeth"}, map[string]any{"partial_count": 1.0}}, // the time is unknown
		{"records with all words come first", "refund shoes", []string{"refund", "shoes"}, map[string]any{"partial_count": 1.0}},
		{"other forms of a word are found", "appointments", []string{"teeth"}, nil},
		{"German forms are found in German text", "Rechnung der Wohnungen", []string{"money"}, nil},
		{"accents do not matter", "jorg", []string{"money"}, nil},
		{"the sender is searchable", "what did Aiko write", []string{"tokyo"}, map[string]any{"missing_words": []any{"write"}}},
		{"Japanese is found within a sentence", "会議", []string{"tokyo"}, nil},
		{"a title weighs more than a body", "boiler", []string{"head", "body"}, nil},
		{"nested text is found", "nestedlayer", []string{"layer"}, nil},
		{"a typing error is reported and replaced", "refundeed", []string{"refund"}, map[string]any{
			"missing_words": []any{"refundeed"}, "nearest_words": []any{map[string]any{"word": "refundeed", "as": []any{"refunded"}}}, "nearest_count": 1.0,
		}},
		{"a word finds longer words that begin with it", "nestedla", []string{"layer"}, map[string]any{
			"missing_words": []any{"nestedla"}, "nearest_words": []any{map[string]any{"word": "nestedla", "as": []any{"nestedlayer"}}}, "nearest_count": 1.0,
		}},
		{"a star finds words with any ending", "dent*", []string{"teeth"}, map[string]any{"missing_words": nil, "partial_count": 0.0}},
		{"a star at the end of a phrase finds any ending", `"layer of cr*"`, []string{"layer"}, nil},
		{"a star works after a minus", "shoes -wal*", []string{"refund"}, nil},
		{"a star without a match is reported", "zebr*", nil, map[string]any{"missing_words": []any{"zebr*"}}},
		{"a star before a word too is emphasis", "*boiler*", []string{"head", "body"}, nil},
		{"words that contain a missing one are named", "dent", nil, map[string]any{
			"missing_words": []any{"dent"}, "containing_words": []any{map[string]any{"word": "dent", "as": []any{"dentist", "dentists"}}},
		}},
		{"words that begin with a missing one come first", "pon", nil, map[string]any{
			"containing_words": []any{map[string]any{"word": "pon", "as": []any{"sponge"}}},
		}},
		{"an Arabic word is found after its article", "قهوة", []string{"arabic"}, map[string]any{"missing_words": nil}},
		{"an Arabic word is found with another article", "بالقهوة", []string{"arabic"}, map[string]any{"missing_words": nil}},
		{"a Hebrew word is found after its article", "קפה", []string{"hebrew"}, map[string]any{"missing_words": nil}},
		{"a word that occurs nowhere is reported, and not replaced", "did I ever tell a lawyer about cake", []string{"layer"}, map[string]any{
			"missing_words": []any{"lawyer"}, "partial_count": 1.0,
		}},
		{"a short word is not replaced", "lai", nil, map[string]any{"missing_words": []any{"lai"}}},
		{"a time is preferred and does not filter", "harbour in March", []string{"march", "april"}, map[string]any{"preferred_time": "any March"}},
		{"a month of a year is preferred and does not filter", "harbour 2026-04", []string{"april", "march"}, map[string]any{
			"preferred_time": "2026-04-01 until before 2026-05-01", "partial_count": 1.0,
		}},
		{"a day is preferred and does not filter", "harbour 14 April 2026", []string{"april", "march"}, map[string]any{
			"preferred_time": "2026-04-14", "partial_count": 1.0, "time_words": []any{"14", "April", "2026"},
		}},
		{"a day named in a text is the time of the record", "diary on April 15, 2026", []string{"diary"}, map[string]any{"partial_count": 0.0}},
		{"a day in another notation in a text is not", "diary of 2026-04-15", []string{"diary"}, map[string]any{"partial_count": 1.0}},
		{"the parts of a day are not a day", "diary on 16 April 2026", []string{"diary"}, map[string]any{"partial_count": 1.0}},
		{"a day relative to which others are meant is not a time", "harbour 14 to 16 April 2026", []string{"diary", "april", "march"}, map[string]any{"preferred_time": nil}},
		{"a weekday of a date is not any such day", "harbour on Tuesday 14.04.2026", []string{"april", "march"}, map[string]any{"preferred_time": nil}},
		{"a part of a month is preferred and does not filter", "harbour mid-April", []string{"april", "march"}, map[string]any{"preferred_time": "any April, 11 to 20"}},
		{"a time after not is not preferred", "harbour not in March", []string{"april"}, map[string]any{"preferred_time": nil}},
		{"a negated time in other words is not preferred", "harbour that wasn't seen in March", []string{"april"}, map[string]any{"preferred_time": nil}},
		{"older than a month is not a time", "harbour older than April 2026", []string{"diary", "april", "march"}, map[string]any{"preferred_time": nil}},
		{"since a month is not a time", "harbour since 2026-04", []string{"april", "march"}, map[string]any{"preferred_time": nil}},
		{"a code finds those that begin with it", "ticket qk7p2", []string{"code"}, map[string]any{"missing_words": []any{"ticket", "qk7p2"}}},
		{"of equal hits the latest comes first", "harbour", []string{"april", "march"}, nil},
		{"a neighbor in the thread lends its words", "piano sofa", []string{"two", "one", "three"}, nil},
		{"quotes are a phrase", `"layer of cream"`, []string{"layer"}, nil},
		{"a quoted phrase is demanded", `"cream layer" cake`, nil, nil},
		{"a minus excludes", "shoes -walk", []string{"refund"}, nil},
		{"a stop word of only another language is a word", "hat harbour", []string{"april"}, map[string]any{"missing_words": []any{"hat"}, "left_out_words": nil}},
		{"a question word of another language is a word", "wann harbour", []string{"april", "march"}, map[string]any{"missing_words": []any{"wann"}, "left_out_words": nil}},
		{"last time does not name a time", "last time harbour", []string{"april", "march"}, map[string]any{
			"missing_words": nil, "left_out_words": []any{"last", "time"}, "preferred_time": nil,
		}},
		{"a name may begin with an article", "harbour De", []string{"april"}, map[string]any{"missing_words": []any{"De"}}},
		{"an acronym is not an article", "AI harbour", []string{"april"}, map[string]any{"missing_words": []any{"AI"}, "left_out_words": nil}},
		{"a word with an accent is not an article", "harbour té", []string{"april"}, map[string]any{"missing_words": []any{"té"}, "left_out_words": nil}},
		{"a record that has the letter comes first", "boiler o", []string{"body", "head"}, nil},
		{"a single letter is searched for", "o", []string{"body"}, nil},
		{"English decides between English and another", "my car harbour", []string{"april"}, map[string]any{"missing_words": []any{"car"}, "left_out_words": []any{"my"}}},
		{"stop words of a question in German are left out", "wir haben die Wohnung", []string{"money"}, map[string]any{"left_out_words": []any{"wir", "haben", "die"}}},
		{"words of a time are not common words", "when was the harbour last March", []string{"march"}, map[string]any{
			"left_out_words": []any{"when", "was", "the"}, "time_words": []any{"last", "March"}, "preferred_time": "2026-03-01 until before 2026-04-01",
		}},
		{"a day relative to today in a text is another day", "gauge yesterday", []string{"gauge"}, map[string]any{"partial_count": 1.0}},
		{"a number is compared by value", "2350", []string{"plain", "dollars", "euros"}, map[string]any{"missing_words": nil}},
		{"a number is found with any thousands separator", "mast 2.350", []string{"dollars", "euros", "plain"}, map[string]any{"partial_count": 0.0}},
		{"a number is found with zero decimals", "mast 2,350.00", []string{"euros", "plain", "dollars"}, map[string]any{"partial_count": 0.0}},
		{"other decimals are another number", "2350.50", nil, map[string]any{"missing_words": []any{"2350.50"}}},
		{"a time of day is not a number", "10:00", nil, map[string]any{"missing_words": []any{"10:00"}}},
		{"common words alone find records", "it is", []string{"three"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.ok("tok-owner", searchFor(test.q))
			keys := got.ids("record_key")
			want := test.first
			if want == nil {
				want = []string{}
			}
			if test.first == nil && len(keys) > 0 || !slices.Equal(keys[:min(len(keys), len(want))], want) {
				t.Errorf("hits %q, want first %q\n%s", keys, want, got.text)
			}
			for name, value := range test.recall {
				if diff := cmp.Diff(value, got.at("meta", "recall", name)); diff != "" {
					t.Errorf("meta.recall.%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
	t.Run("hits say which words they have", func(t *testing.T) {
		got := r.ok("tok-owner", searchFor("refund shoes"))
		if got.at("data", 0, "match") != "all" || got.at("data", 1, "match") != "some" {
			t.Fatal(got.text)
		}
		if diff := cmp.Diff([]any{"shoes"}, got.at("data", 1, "matched_words")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the field with the rarest words is shown", func(t *testing.T) {
		for q, want := range map[string]string{"sofa guarantee": "text", "boiler house": "title"} {
			if got := r.ok("tok-owner", searchFor(q)); got.at("data", 0, "snippet", "field") != want {
				t.Errorf("%s: want %s of %s", q, want, got.text)
			}
		}
	})
	t.Run("a cursor returns all hits, each once", func(t *testing.T) {
		whole := r.ok("tok-owner", searchFor("the shoes boiler harbour sofa")).ids("record_key")
		pages := r.walkPages("tok-owner", "/v1/search?limit=2&q="+url.QueryEscape("the shoes boiler harbour sofa"), "record_key")
		if diff := cmp.Diff(whole, pages); diff != "" || len(whole) < 8 {
			t.Errorf("%d hits (-all +pages):\n%s", len(whole), diff)
		}
	})
	t.Run("a server that demands every word finds no more than those", func(t *testing.T) {
		strict := newRigOver(t, r.server.store, Options{AllWords: true})
		if keys := strict.ok("tok-owner", searchFor("refunded shoes")).ids("record_key"); !slices.Equal(keys, []string{"refund"}) {
			t.Errorf("hits %q", keys)
		}
		none := strict.ok("tok-owner", searchFor("refund shoes"))
		if keys := none.ids("record_key"); len(keys) > 0 || strings.Contains(none.text, "partial_count") {
			t.Errorf("hits %q: %s", keys, none.text)
		}
	})
}

// If a word occurs nowhere and has no form in the languages of most texts, the languages of a few texts are tried.
func TestWordFormsOfALanguageOfFewTexts(t *testing.T) {
	notes := []note{{ID: "swedish", Title: "Bak", Text: "Mamma säger att man aldrig ska ha bråttom med bullar, och det är inte svårt.", Author: "Owen"}}
	for i := range 30 {
		notes = append(notes, note{ID: fmt.Sprint(i), Title: "Cake", Text: "There is the cake that they have made for us all.", Author: "Owen"})
	}
	got := newNotes(t, notes).ok("tok-owner", searchFor("bulle"))
	if keys := got.ids("record_key"); !slices.Equal(keys, []string{"swedish"}) || got.at("meta", "recall", "missing_words") != nil {
		t.Error(got.text)
	}
}

// A common word of the texts is no form of a word that has the same stem in another language.
func TestACommonWordIsNoFormOfAnother(t *testing.T) {
	notes := []note{
		{ID: "note", Title: "A note about the garden"}, {ID: "german", Text: "Das ist die Note, die wir nicht haben und auch nicht wollen."},
	}
	for i := range 6 {
		notes = append(notes, note{ID: fmt.Sprint(i), Text: "There is not a thing that they have not made for us."})
	}
	r := newNotes(t, notes)
	for _, q := range []string{"notes", "my notes", "Noten"} {
		got := r.ok("tok-owner", searchFor(q)).ids("record_key")
		if slices.Sort(got); !slices.Equal(got, []string{"german", "note"}) {
			t.Errorf("%s: %q", q, got)
		}
	}
}

// No answer reveals data outside the grant: two stores that differ only there give the same answers.
func TestSearchShowsNothingBeyondTheGrant(t *testing.T) {
	other := testCorpus()
	records := testRecords()
	other.Records = func(yield func(model.Record, error) bool) {
		for _, one := range records {
			data := strings.ReplaceAll(
				string(one.Data),
				"secretword",
				"zebrafinch and its zebrafinches are the most secretive words of all that there are",
			)
			data = strings.ReplaceAll(data, `"Invoice number 7"`, `"Xylophone number 7"`) // before the time limit of the grant
			one.Data = json.RawMessage(data)
			if !yield(one, nil) {
				return
			}
		}
	}
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Load(t.Context(), other, "other", nil); err != nil {
		t.Fatal(err)
	}
	a, b := newRig(t), newRigOver(t, store, Options{})
	for _, q := range []string{
		"secretword", "secretwords", "secretwrod", "zebrafinch", "zebrafinhc invoice", "zebrafinches invoice 59", "xylophone", "xylophnoe 59", "invoice",
		"invoice number 58", "invoices of number", `"number 7" invoice`, "number -7", "the secretword invoice", "invoice -secretword", "words",
		"secret", "ecretwor", "secre*", "zebraf", "zeb*", "ylophon", "xyl*", "invoi", "nvoic",
	} {
		before, after := a.ok("tok-narrow", searchFor(q)), b.ok("tok-narrow", searchFor(q))
		delete(before.body, "links")
		delete(after.body, "links")
		if diff := cmp.Diff(before.body, after.body); diff != "" {
			t.Errorf("%s (-one +other):\n%s", q, diff)
		}
	}
}
