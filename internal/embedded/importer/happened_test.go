package importer

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
)

// Of two dates, the one that says when a thing happened is the record's time, not when it was logged, added or created.
func TestWhenAThingHappenedIsTheTimeOfTheRecord(t *testing.T) {
	for text, want := range map[string]string{
		"Date,Name,Watched Date\n2026-11-20,x,2026-11-19\n2026-11-21,y,2026-11-19\n":                              "Watched_Date",
		"Title,Date Read,Date Added\nDune,2026-02-14,2025-12-01\nEmma,2026-03-14,2025-12-01\n":                    "Date_Read",
		"Firma,Created,Applied\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                               "Applied",
		"Title,created_at,completed_at\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                       "completed_at",
		"Ort,Hinzugefügt am,Besucht am\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                       "Besucht_am",
		"Titel;Erstellt am;Gelesen am\nx;01.01.2026;14.02.2026\ny;01.01.2026;15.02.2026\n":                        "Gelesen_am",
		"Livre,Ajouté le,Lu le\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                               "Lu_le",
		"Título,Fecha de creación,Fecha de lectura\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":           "Fecha_de_lectura",
		"Was;Anlagedatum;Lesedatum\nx;01.01.2026;14.02.2026\ny;13.01.2026;15.02.2026\n":                           "Lesedatum",
		"What,Issued Date,Payment Due Date\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                   "Issued_Date",
		"What,Exported,Paid\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                                  "Paid",
		"Type,Started Date,Completed Date\nx,2026-01-04 10:00:00,2026-01-05 10:00:00\n":                           "Started_Date",
		"text,date,date_read\nx,2026-01-04,2026-02-04\ny,2026-01-04,2026-02-05\n":                                 "date",
		"Title,Date Read,Date Added\nDune,2026-02-14,2025-12-01\nEmma,2026-02-15,2025-12-01\nIlias,,2025-12-02\n": "when",
	} {
		values, stream := valuesOf(t, "t.csv", text)
		if got := schema.EventTime(stream.Fields); got != want {
			t.Errorf("%q: %s, want %s", strings.SplitN(text, "\n", 2)[0], got, want)
		} else if want == "when" && values["when"][0] != "2026-02-14" {
			t.Errorf("%v", values)
		}
	}
}
