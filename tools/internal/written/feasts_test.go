package written_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A feast is a time where a word introduces it; its year is that of the last one, also of one that opens a period.
func TestFeastsInQueries(t *testing.T) {
	now := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	for query, want := range map[string]string{
		"What did I do around Easter?":             "2026-04-03 2026-04-06 What did I",
		"swimming since Easter":                    "2026-04-03  swimming",
		"Schwimmen seit Ostern":                    "2026-04-03  Schwimmen",
		"orders after Christmas":                   "2025-12-27  orders",
		"orders until Easter":                      "not read",
		"What did I do on New Year's Eve?":         "2025-12-31 2025-12-31 What did I",
		"dinner on New Year’s Day":                 "2026-01-01 2026-01-01 dinner",
		"What happened on Halloween?":              "2026-10-31 2026-10-31 What happened",
		"Halloween costumes":                       "",
		"new year's eve playlist":                  "",
		"What did I do on Boxing Day":              "2025-12-26 2025-12-26 What did I",
		"walk on Christmas Eve":                    "2025-12-24 2025-12-24 walk",
		"flowers since Valentine's Day":            "2026-02-14  flowers",
		"Was war an Silvester":                     "2025-12-31 2025-12-31 Was war an",
		"Essen am Heiligabend":                     "2025-12-24 2025-12-24 Essen",
		"dîner à la Saint-Sylvestre":               "2025-12-31 2025-12-31 dîner",
		"cena en Nochevieja":                       "2025-12-31 2025-12-31 cena",
		"pranzo a Capodanno":                       "2026-01-01 2026-01-01 pranzo",
		"gita a Ferragosto":                        "2026-08-15 2026-08-15 gita",
		"jantar na véspera de Natal":               "2025-12-24 2025-12-24 jantar",
		"eten op oudejaarsavond":                   "2025-12-31 2025-12-31 eten",
		"cadeaus met Kerstmis":                     "2025-12-24 2025-12-26 cadeaus met",
		"duurste bestelling van Kerstmis tot nu":   "2025-12-24 2026-11-24 duurste bestelling",
		"Bestellungen von Weihnachten bis jetzt":   "2025-12-24 2026-11-24 Bestellungen",
		"afspraken in augustus met Sam":            "2026-08-01 2026-08-31 afspraken met Sam",
		"Welke afspraken had ik in maart met Sam?": "2026-03-01 2026-03-31 Welke afspraken had ik met Sam",
		"appuntamenti ad agosto":                   "2026-08-01 2026-08-31 appuntamenti",
		"appuntamenti in agosto":                   "2026-08-01 2026-08-31 appuntamenti",
		"orders from May until now":                "2026-05-01 2026-11-24 orders",
		"a trip in mai tai season":                 "",
	} {
		named, _ := written.NamedPeriod(query, now)
		got := named.Since + " " + named.Until + " " + named.Rest
		switch {
		case named.Unread != "":
			got = "not read"
		case named.Since+named.Until == "":
			got = ""
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
