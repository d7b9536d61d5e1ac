package importer

import (
	"slices"
	"strings"
	"testing"
)

// keptNotes returns what is said about the records that a table keeps.
func keptNotes(t *testing.T, text string) (notes []string) {
	t.Helper()
	watch := Watch{Kept: func(skip Skip) { notes = append(notes, skip.Reason) }}
	if _, err := Open(t.Context(), writeFolder(t, map[string]string{"t.csv": text}), nil, watch); err != nil {
		t.Fatal(err)
	}
	return notes
}

// A laboratory writes a result below what it can measure as "<0,6": the others stay numbers, and a note names the column.
func TestLimitsLeaveNumbers(t *testing.T) {
	for _, one := range []struct {
		name   string
		cells  []string
		values []any // nil: the field is a text
		texts  []any
	}{
		{"a decimal comma", []string{"38", "37,9", "<0,6", "1,08", "<0,6", "5,1"}, []any{38.0, 37.9, nil, 1.08, nil, 5.1}, []any{nil, nil, "<0,6", nil, "<0,6", nil}},
		{"a space", []string{"12", "> 50", "13.5"}, []any{12.0, nil, 13.5}, []any{nil, "> 50", nil}},
		{"not found", []string{"0.2", "n.n.", "0.4", "ND", "1.4", "n. d."}, []any{0.2, nil, 0.4, nil, 1.4, nil}, []any{nil, "n.n.", nil, "ND", nil, "n. d."}},
		{"limits first", []string{"<1", "<1", "<1", "<1", "≤ 1", "2", "3", "4", "5", "6"}, []any{nil, nil, nil, nil, nil, 2.0, 3.0, 4.0, 5.0, 6.0},
			[]any{"<1", "<1", "<1", "<1", "≤ 1", nil, nil, nil, nil, nil}},
		{"a unit", []string{"<0,6 mg/l", "1,5", "2,5"}, []any{nil, 1.5, 2.5}, []any{"<0,6 mg/l", nil, nil}},
		{"limits and words", []string{"~2,5", "spuren", "1,5", "2,5"}, []any{nil, nil, 1.5, 2.5}, []any{"~2,5", "spuren", nil, nil}},
		{"words", []string{"negativ", "1,5", "2,5"}, []any{nil, 1.5, 2.5}, []any{"negativ", nil, nil}},
		{"mostly limits", []string{"<1", "<1", "<1", "2"}, nil, nil},
		{"codes", []string{"12a", "13", "14", "15", "16", "17", "18", "19"}, nil, nil},
	} {
		t.Run(one.name, func(t *testing.T) {
			text := "Ergebnis;n\n" + strings.Join(one.cells, ";x\n") + ";x\n"
			records, _ := loaded(t, "lab.csv", text)
			var values, texts []any
			for _, record := range records["lab"] {
				values, texts = append(values, record["Ergebnis"]), append(texts, record["Ergebnis_text"])
			}
			if one.values == nil {
				if values[0] != one.cells[0] {
					t.Errorf("%v", values)
				}
				return
			}
			if !slices.Equal(values, one.values) || !slices.Equal(texts, one.texts) {
				t.Errorf("%v and %v", values, texts)
			}
			if notes := keptNotes(t, text); len(notes) != 1 || !strings.HasPrefix(notes[0], `"Ergebnis" is a number, and empty in `) {
				t.Errorf("notes: %v", notes)
			}
		})
	}
}

func TestNotesOnTextsThatAreMostlyNumbersOrDates(t *testing.T) {
	for text, want := range map[string]string{
		"v\n<1\n2\n3\n4\n2.5x\n":                                    `"v" stays a text: not a number in 2 of 5 records`,
		"When,n\n2026-01-05,1\n05/02/2026,2\n7 March 2026,3\n":      `"When" stays a text: its dates have several forms`,
		"When,n\n05.02.2026,1\n\"March 7, 2026\",2\n09.02.2026,3\n": `"When" stays a text: its dates have several forms`,
	} {
		if notes := keptNotes(t, text); len(notes) != 1 || notes[0] != want {
			t.Errorf("%q: %v, want %s", text, notes, want)
		}
	}
}

func TestADashAndASpaceAreAMinus(t *testing.T) {
	records, _ := loaded(t, "t.csv", "a,b\n– 3.00,− 4\n5.00,6\n")
	if one := records["t"][0]; one["a"] != -3.0 || one["b"] != -4.0 {
		t.Errorf("%v", one)
	}
}
