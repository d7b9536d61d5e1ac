package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A few other texts among the dates of a field in JSON are moved to a second field, if the field has a name of a date.
func TestAFewTextsAmongDatesInJSONGetTheirOwnField(t *testing.T) {
	days := `"2026-01-01"|"2026-01-02"|"2026-01-03"|"2026-01-04"|"2026-01-05"|"2026-01-06"`
	for _, test := range []struct{ name, field, values, want, stray string }{
		{"a recurring date", "due", days + `|"every tue"`, "date", "every tue"},
		{"at first", "date", `"soon"|` + days, "date", "soon"},
		{"times", "created_at", strings.ReplaceAll(days, `"|`, `T10:00:00Z"|`) + `|"open"`, "timestamp", "open"},
		{"another form", "date", `"27.05.2026"|"28.05.2026"|"29.05.2026"|"30.05.2026"|"31.05.2026"|"01.06.2026"|"later"`, "date", "later"},
		{"a value that is not a text", "due", days + `|false`, "date", "false"},
		{"in an object", "task.due", days + `|"every tue"`, "date", "every tue"},
		{"an empty value", "due", days + `|""`, "date", ""},
		{"a list", "due", days + `|["soon"]`, "string", ""},
		{"too many", "due", days + `|"soon"|"later"`, "string", ""},
		{"a title", "title", days + `|"Ideas"`, "string", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := ""
			for _, value := range strings.Split(test.values, "|") {
				if in, name, isIn := strings.Cut(test.field, "."); isIn {
					text += `{"` + in + `":{"` + name + `":` + value + "}}\n"
				} else {
					text += `{"` + test.field + `":` + value + "}\n"
				}
			}
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{"t.jsonl": text}))
			field, _ := corpus.Connectors[0].Streams[0].Field(test.field)
			var strays []string
			kept := 0
			for _, record := range collectRecords(t, corpus) {
				if stray, ok := valueOf(t, record, test.field+"_text"); ok {
					strays = append(strays, stray)
				} else if day, _ := valueOf(t, record, test.field); strings.HasPrefix(day, "2026-0") {
					kept++
				}
			}
			if field.Type != test.want || strings.Join(strays, ",") != test.stray || kept != 6 || len(skips) > 0 {
				t.Errorf("%+v, strays %v, %d kept, %v; want %q", field, strays, kept, skips, test.want)
			}
		})
	}
}

// A few cells of another kind do not keep a column from having a type; their values are kept in a second field.
func TestAFewCellsOfAnotherKindGetTheirOwnField(t *testing.T) {
	days := "2026-01-01|2026-01-02|2026-01-03|2026-01-04|2026-01-05|2026-01-06"
	for _, test := range []struct{ name, column, cells, want, stray string }{
		{"a recurring date", "DATE", days + "|every tue", "date", "every tue"},
		{"at first", "DATE", "every 6 months|" + days, "date", "every 6 months"},
		{"a date and more", "DATE", days + "|2026-01-07 or later", "date", "2026-01-07 or later"},
		{"a year alone", "DATE", days + "|2026", "date", "2026"},
		{"times", "at", strings.ReplaceAll(days, "|", "T10:00:00Z|") + "T10:00:00Z|open", "timestamp", "open"},
		{"dates as banks write them", "Datum", "27.05.26|28.05.26|29.05.26|30.05.26|31.05.26|01.06.26|vorgemerkt", "date", "vorgemerkt"},
		{"numbers", "n", "1|2|3|4|5|6|unknown", "integer", "unknown"},
		{"numbers and words", "n", "1.5|2|3|4|5|6|about 300 EUR", "number", "about 300 EUR"},
		{"amounts", "Betrag", "1.234,50|2,50|3,00|4,00|5,00|6,00|offen", "number", "offen"},
		{"amounts with a currency", "Price", "€1.50|€2.50|€3.00|€4.00|€5.00|€6.00|free", "number", "free"},
		{"seconds", "created_at", "1768443300|1768443301|1768443302|1768443303|1768443304|1768443305|never", "timestamp", "never"},
		{"too few", "DATE", "2026-01-01|2026-01-02|2026-01-03|2026-01-04|soon", "string", ""},
		{"too many", "DATE", days + "|soon|later", "string", ""},
		{"codes", "n", "1|2|3|4|5|6|12a", "string", ""},
		{"postcodes of several countries", "n", "24103|24105|24107|24109|24111|24113|SW1A 1AA", "text", ""},
		{"sizes", "n", "38|40|42|44|46|48|XL", "string", ""},
		{"a letter among numbers", "n", "1|2|3|4|5|6|X", "string", ""},
		{"a sign", "n", "1|2|3|4|5|6|?", "integer", "?"},
		{"no answer", "n", "1|2|3|4|5|6|k.A.", "integer", "k.A."},
		{"ids", "id", "1|2|3|4|5|6|guest", "string", ""},
		{"ids that are dates", "id", days + "|undated", "string", ""},
		{"ids of others", "order_id", "1|2|3|4|5|6|guest", "string", ""},
		{"postcodes", "n", "1|2|3|4|5|6|01234", "string", ""},
		{"dates of two forms", "d", "13/01/2026|14/01/2026|15/01/2026|16/01/2026|17/01/2026|18/01/2026|01/19/2026", "string", ""},
		{"dates of two readings", "d", "03/04/2026|03/04/2026|03/04/2026|03/04/2026|03/04/2026|03/04/2026|soon", "string", ""},
		{"truths", "b", "true|true|true|true|true|true|maybe", "string", ""},
		{"a missing value", "n", "1|2|3|4|5|6|n/a|word", "integer", "word"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "k;" + test.column + "\n"
			for _, cell := range strings.Split(test.cells, "|") {
				text += "x;" + cell + "\n"
			}
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{"t.csv": text}))
			stream := corpus.Connectors[0].Streams[0]
			field, _ := stream.Field(test.column)
			beside, has := stream.Field(test.column + "_text")
			if field.Type != test.want || has != (test.stray != "") || has && (!beside.Lexical || !field.Nullable || !field.Range) {
				t.Errorf("%+v, beside it %+v; want %q", field, beside, test.want)
			}
			var strays, values []string
			for _, record := range collectRecords(t, corpus) {
				if stray, ok := valueOf(t, record, test.column+"_text"); ok {
					strays = append(strays, stray)
				}
				if !strings.Contains(string(record.Data), `"`+test.column+`":null`) {
					values = append(values, string(record.Data))
				}
			}
			if diff := cmp.Diff(test.stray, strings.Join(strays, ",")); diff != "" || len(skips) > 0 || has && len(values) != 6 {
				t.Errorf("(-want +got)\n%s\n%v, %d values", diff, skips, len(values))
			}
		})
	}
}
