package importer

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// valuesOf reads a file and returns the values of each field, one for each record, and its stream.
func valuesOf(t *testing.T, name, text string) (map[string][]any, model.Stream) {
	t.Helper()
	corpus, err := Open(t.Context(), writeFolder(t, map[string]string{name: text}), nil, Watch{})
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]any{}
	for record, err := range corpus.Records {
		if err != nil {
			t.Fatal(err)
		}
		data := map[string]any{}
		if err := json.Unmarshal(record.Data, &data); err != nil {
			t.Fatal(err)
		}
		for field, value := range data {
			values[field] = append(values[field], value)
		}
	}
	return values, corpus.Connectors[0].Streams[0]
}

func TestDurationsHaveAFieldWithSeconds(t *testing.T) {
	for _, one := range []struct {
		name    string
		cells   []string
		seconds []any // nil if there is no such field
	}{
		{"Duration", []string{"00:20:55", "1:02:03.5", "36:00:00", ""}, []any{1255.0, 3723.5, 129600.0, nil}},
		{"Dauer", []string{"3:45", "12:05"}, []any{225.0, 725.0}},
		{"Length", []string{"3:45", "1:02:05"}, []any{225.0, 3725.0}},
		{"Hours worked", []string{"7:30", "08:15"}, []any{27000.0, 29700.0}},
		{"duration", []string{"PT1H2M", "P1DT0.5S", "PT5M"}, []any{3720.0, 86400.5, 300.0}},
		{"Elapsed Time", []string{"0:01:00", "-0:01:00"}, []any{60.0, -60.0}},
		{"Durée", []string{"1 h 20 min", "45 min"}, nil},
		{"duration", []string{"P1M", "P2M"}, nil},
		{"Duration", []string{"00:20:55", "long"}, nil},
		{"Duration", []string{"12", "00:20:55"}, nil},
		{"Start time", []string{"14:05:00", "09:30:00"}, nil},
		{"Time", []string{"14:05:00", "09:30:00"}, nil},
		{"Time", []string{"3:56:23 PM", "9:30:00 AM"}, nil},
		{"Time", []string{"00:46:28", "00:44:41"}, nil},
		{"Score", []string{"2:11", "3:10"}, nil},
	} {
		text := one.name + ",n\n"
		for _, cell := range one.cells {
			text += cell + ",x\n"
		}
		values, stream := valuesOf(t, "t.csv", text)
		field := strings.ReplaceAll(one.name, " ", "_")
		if diff := cmp.Diff(one.seconds, values[field+"_seconds"]); diff != "" {
			t.Errorf("%s %q (-want +got)\n%s", one.name, one.cells, diff)
		}
		if described, ok := stream.Field(field + "_seconds"); ok && (described.Type != "number" || !slices.Contains(described.Aggregations, "sum")) {
			t.Errorf("%+v", described)
		}
		if cell := values[field][0]; one.seconds != nil && cell != one.cells[0] {
			t.Errorf("%s: %v", one.name, cell)
		}
	}
}

// A column called Time is a duration if the dates already have a time, and a duration in JSON is read as in tables.
func TestAColumnCalledTimeMayBeADuration(t *testing.T) {
	run, _ := valuesOf(t, "t.csv", "Date,Time\n2026-10-22 10:02:02,00:46:28\n2026-10-23 18:02:02,01:46:28\n")
	if diff := cmp.Diff([]any{2788.0, 6388.0}, run["Time_seconds"]); diff != "" {
		t.Error(diff)
	}
	log, _ := valuesOf(t, "t.csv", "Date,Time\n2026-10-22 10:02:02,10:02:02\n2026-10-23 18:02:02,18:02:02\n")
	films, _ := valuesOf(t, "t.jsonl", `{"length":"1:40:00","n":1}`+"\n"+`{"length":"PT2H","n":2}`+"\n"+`{"length":null}`+"\n")
	if diff := cmp.Diff([]any{6000.0, 7200.0}, films["length_seconds"]); diff != "" || log["Time_seconds"] != nil {
		t.Errorf("%v %s", log, diff)
	}
}

func TestADateAndATimeColumnAreOneTime(t *testing.T) {
	for name, one := range map[string]struct {
		text  string
		field string
		want  []any
		kind  string
		other int // fields beyond those of the table
	}{
		"a local time": {"Date,Time,n\n16/01/2025,12:19:55,1\n03/02/2025,,2\n", "Date_time", []any{"2025-01-16T12:19:55", "2025-02-03"}, model.LocalTime, 1},
		"halves of a day": {
			"Start Date,Start Time,End Date,End Time\n1/1/2025,3:56:23 PM,1/2/2025,12:05 AM\n1/15/2025,9:05 AM,1/15/2025,10:00 AM\n",
			"Start_Date_time", []any{"2025-01-01T15:56:23", "2025-01-15T09:05:00"}, model.LocalTime, 2,
		},
		"German": {"Buchungsdatum;Buchungszeit\n31.12.2026;14:05\n01.12.2026;09:00\n", "Buchungsdatum_time", []any{"2026-12-31T14:05:00", "2026-12-01T09:00:00"}, model.LocalTime, 1},
		"French": {"Date de début;Heure de début\n31/12/2026;14:05\n", "Date_de_début_time", []any{"2026-12-31T14:05:00"}, model.LocalTime, 1},
		"a zone": {"date,time\n2026-01-15,14:05:00 UTC\n", "date_time", []any{"2026-01-15T14:05:00Z"}, "timestamp", 1},
		"JSON": {
			`{"date":"2025-01-16","time":"12:19"}` + "\n" + `{"date":"2025-02-03"}` + "\n", "date_time",
			[]any{"2025-01-16T12:19:00", "2025-02-03"}, model.LocalTime, 1,
		},
		"a date with a time":  {"Date,Time\n2026-01-15 10:00,14:05:00\n", "Date_time", nil, "", 0},
		"no time":             {"Date,Time\n2026-01-15,14:05:00\n2026-01-16,noon\n", "Date_time", nil, "", 0},
		"of something else":   {"Date,Arrival Time\n2026-01-15,14:05:00\n", "Date_time", nil, "", 0},
		"two times for a day": {"Date,Time,Uhrzeit\n2026-01-15,14:05:00,15:05\n", "Date_time", nil, "", 0},
		"a number":            {"Date,Time\n2026-01-15,1.50\n", "Date_time", nil, "", 0},
	} {
		file := "t.csv"
		if one.text[0] == '{' {
			file = "t.jsonl"
		}
		values, stream := valuesOf(t, file, one.text)
		header, _, _ := strings.Cut(one.text, "\n")
		if diff := cmp.Diff(one.want, values[one.field]); diff != "" {
			t.Errorf("%s (-want +got)\n%s%v", name, diff, slices.Sorted(maps.Keys(values)))
		}
		if more := len(stream.Fields) - len(strings.FieldsFunc(header, func(r rune) bool { return r == ',' || r == ';' })); more != one.other {
			t.Errorf("%s: %d more fields: %+v", name, more, stream.Fields)
		}
		if described, _ := stream.Field(one.field); described.Type != one.kind || one.kind != "" && described.Role != "event-time" {
			t.Errorf("%s: %+v", name, described)
		}
	}
}

// If the name of a column says that its times are in UTC, they are converted to UTC timestamps.
func TestColumnsInUTCAreTimestamps(t *testing.T) {
	values, _ := valuesOf(t, "t.csv", "utc_time,Created (UTC)\n\"30 Oct 2026, 08:18\",2026-10-30 08:18:00\n\"29 Oct 2026, 23:22\",2026-10-29T23:22:00\n")
	want := map[string][]any{"utc_time": {"2026-10-30T08:18:00Z", "2026-10-29T23:22:00Z"}, "Created__UTC": {"2026-10-30T08:18:00Z", "2026-10-29T23:22:00Z"}}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Error(diff)
	}
}
