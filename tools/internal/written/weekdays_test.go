package written_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A day may be an ordinal word next to its month.
func TestADayInWords(t *testing.T) {
	for query, want := range map[string]string{
		"the twenty-first of May":                "2026-05-21 2026-05-21 ",
		"what did I order on the first of June?": "2026-06-01 2026-06-01 what did I order",
		"orders of June the third, 2025":         "2025-06-03 2025-06-03 orders",
		"orders on June second":                  "2026-06-02 2026-06-02 orders",
		"orders since the thirty-first of May":   "2026-05-31  orders",
		"orders before the fifth of June 2026":   " 2026-06-04 orders",
		"Bestellungen am ersten Juni":            "2026-06-01 2026-06-01 Bestellungen",
		"Bestellungen vom dritten Oktober 2025":  "2025-10-03 2025-10-03 Bestellungen",
		"Mails vom einunddreißigsten Mai":        "2026-05-31 2026-05-31 Mails",
		"lettres du premier juin":                "2026-06-01 2026-06-01 lettres",
		"pedidos del primero de junio de 2026":   "2026-06-01 2026-06-01 pedidos",
		"ordini del primo giugno":                "2026-06-01 2026-06-01 ordini",
		"compras de primeiro de junho":           "2026-06-01 2026-06-01 compras",
		"bestellingen op de eerste juni":         "2026-06-01 2026-06-01 bestellingen",
		"bestellingen van de twintigste maart":   "2026-03-20 2026-03-20 bestellingen",
		"mail prima di giugno":                   " 2026-05-31 mail",
		"the first in June":                      "2026-06-01 2026-06-30 the first",
		"das erste im Juni":                      "2026-06-01 2026-06-30 das erste",
		"the second March meeting":               "",
		"the thirty-first of June":               "not read",
		"the fourth of July party":               "2026-07-04 2026-07-04 party",
	} {
		if got := timeIn(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// A day of the week next to a date belongs to it, and tells which of two days a date means.
func TestADateWithItsDayOfTheWeek(t *testing.T) {
	for query, want := range map[string]string{
		"events on Thursday 12.11.2026":         "2026-11-12 2026-11-12 events",
		"events on Thursday, 12 November 2026":  "2026-11-12 2026-11-12 events",
		"events on 12 November 2026, Thursday":  "2026-11-12 2026-11-12 events",
		"events on 2026-11-12 (Thursday)":       "2026-11-12 2026-11-12 events",
		"events on Thu 2026-11-12":              "2026-11-12 2026-11-12 events",
		"events on Thursday 12/11/2026":         "2026-11-12 2026-11-12 events", // 11 December is a Friday
		"events on Friday 12/11/2026":           "2026-12-11 2026-12-11 events",
		"Termine am Donnerstag, den 12.11.2026": "2026-11-12 2026-11-12 Termine",
		"Termine am 12.11.2026 (Donnerstag)":    "2026-11-12 2026-11-12 Termine",
		"rendez-vous du jeudi 12/11/2026":       "2026-11-12 2026-11-12 rendez-vous",
		"citas del jueves 12.11.2026":           "2026-11-12 2026-11-12 citas",
		"appuntamenti di giovedì 12.11.2026":    "2026-11-12 2026-11-12 appuntamenti",
		"compromissos de sábado, 14.11.2026":    "2026-11-14 2026-11-14 compromissos",
		"afspraken op donderdag 12.11.2026":     "2026-11-12 2026-11-12 afspraken",
		"events before Thursday 12.11.2026":     " 2026-11-11 events",
		"events on Monday Tuesday":              "not read",
		"my half-day in May":                    "2026-05-01 2026-05-31 my half-day",
	} {
		if got := timeIn(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// A day of the week that does not belong to the date beside it is named.
func TestADayOfTheWeekThatIsNotThatOfItsDate(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	for query, want := range map[string]string{
		"events on Friday 12.11.2026":         "2026-11-12 is a Thursday, not a Friday.",
		"events on 12 November 2026 (Friday)": "2026-11-12 is a Thursday, not a Friday.",
		"Termine seit Freitag, 12. November":  "2026-11-12 is a Thursday, not a Friday.",
		"events on Thursday 12.11.2026":       "",
		"events last Friday":                  "",
		"events on Friday":                    "",
	} {
		if named, ok := written.NamedPeriod(query, now); !ok || named.Mismatch != want {
			t.Errorf("%s: %q (%t), want %q", query, named.Mismatch, ok, want)
		}
	}
}

// A day of the week that is meant in every week is no date.
func TestADayOfTheWeekThatIsNoDate(t *testing.T) {
	for query, want := range map[string]string{
		"is there a recurring event on Monday":   "is there a recurring event",
		"events on Sundays in June":              "events in June",
		"what do I do every Monday morning?":     "what do I do",
		"choir each Tuesday":                     "choir",
		"do I usually run on Saturday or Sunday": "do I usually run",
		"do I normally have a call on Fridays?":  "do I normally have a call",
		"regelmäßige Termine am Montag":          "regelmäßige Termine",
		"jeden Montag Chor":                      "Chor",
		"was mache ich montags":                  "was mache ich",
		"réunions tous les lundis":               "réunions",
		"chaque mardi":                           "",
		"réunion habituelle le lundi":            "réunion habituelle",
		"qué hago los lunes":                     "qué hago",
		"citas todos los sábados de mayo":        "citas de mayo",
		"cada martes":                            "",
		"di solito corro il lunedì":              "di solito corro",
		"ogni venerdì":                           "",
		"reunião habitual no sábado":             "reunião habitual",
		"elke maandag zwemmen":                   "zwemmen",
		"wat doe ik meestal op dinsdag":          "wat doe ik meestal",
		"the weekly call last Monday":            "the weekly call last Monday",
		"recurring events on Monday 7 December":  "recurring events on Monday 7 December",
		"every email on Monday":                  "every email on Monday",
		"Termine am Montag":                      "Termine am Montag",
		"which Mondays did I swim":               "which did I swim",
		"the Mondays song \"Mondays\"":           "the Mondays song \"Mondays\"",
		"seconds of thirds":                      "seconds of thirds",
	} {
		rest := written.WithoutWeekdays(query)
		if rest != want {
			t.Errorf("%s: %q, want %q", query, rest, want)
		}
	}
}
