package written_test

import (
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// If a query names exactly one time, with or without a year, that time and the remaining words are returned.
func TestTimesInAQuery(t *testing.T) {
	for query, want := range map[string]string{
		"meeting with Ines on 12 March":                 "2026-03-12 2026-03-12 meeting with Ines",
		"tasks due in April 2026":                       "2026-04-01 2026-04-30 tasks due",
		"what is due May 2026":                          "2026-05-01 2026-05-31 what is due",
		"the fine in March 2026":                        "2026-03-01 2026-03-31 the fine",
		"il due aprile 2026":                            "2026-04-02 2026-04-02 ",
		"fine aprile 2026":                              "2026-04-21 2026-04-30 ",
		"invoices last month?":                          "2026-10-01 2026-10-31 invoices",
		"swimming in December":                          "2025-12-01 2025-12-31 swimming",
		"what did I buy since May":                      "2026-05-01  what did I buy",
		"March 3rd dinner":                              "2026-03-03 2026-03-03 dinner",
		"yesterday":                                     "2026-11-23 2026-11-23 ",
		"May I come":                                    "",
		"last time I saw Dr Anand":                      "",
		"between last week and this week":               "2026-11-16 2026-11-29 ",
		"last week and this week":                       "2026-11-16 2026-11-29 ",
		"lunch before June":                             " 2026-05-31 lunch",
		"lunch until March 2026":                        " 2026-03-31 lunch",
		"lunch after 12 March 2026":                     "2026-03-13  lunch",
		"lunch between March and May 2026":              "2026-03-01 2026-05-31 lunch",
		"lunch from 2026-03-01 to 2026-04-01":           "2026-03-01 2026-04-01 lunch",
		"trips from November to February 2026":          "2025-11-01 2026-02-28 trips",
		"Treffen vor dem 12. März 2026":                 " 2026-03-11 Treffen",
		"Treffen zwischen März und Mai 2026":            "2026-03-01 2026-05-31 Treffen",
		"réunions après le 3 mai 2026":                  "2026-05-04  réunions",
		"cenas antes de marzo de 2026":                  " 2026-02-28 cenas",
		"the day before yesterday":                      "2026-11-22 2026-11-22 ",
		"write to May":                                  "",
		`"in March" song`:                               "",
		"a marching band of 12 marchers in mars":        "",
		"invoices March 2026":                           "2026-03-01 2026-03-31 invoices",
		"What did Rosa write in February 2024?":         "2024-02-01 2024-02-29 What did Rosa write",
		"dentist on 12 March 2026":                      "2026-03-12 2026-03-12 dentist",
		"dentist March 3rd, 2026 at noon":               "2026-03-03 2026-03-03 dentist at noon",
		"2026-03-09 orders":                             "2026-03-09 2026-03-09 orders",
		"Sept. 2025":                                    "2025-09-01 2025-09-30 ",
		"orders 2026-12":                                "2026-12-01 2026-12-31 orders",
		"orders 2026-13":                                "",
		"31 February 2026":                              "not read",
		"March 2026 or April 2026":                      "2026-03-01 2026-04-30 ",
		"March 2026 and April 2026 and May 2026":        "2026-03-01 2026-05-31 ",
		`"March 2026" invoice`:                          "",
		"decision 2025":                                 "",
		"invoice TW-7141":                               "",
		"meetings in the first week of June":            "2026-06-01 2026-06-07 meetings",
		"rent at the end of May":                        "2026-05-21 2026-05-31 rent",
		"the second half of 2025, trips":                "2025-07-01 2025-12-31 trips",
		"emails in Q3 2026":                             "2026-07-01 2026-09-30 emails",
		"Rechnungen im März":                            "2026-03-01 2026-03-31 Rechnungen",
		"Rechnungen vom letzten Monat":                  "2026-10-01 2026-10-31 Rechnungen",
		"Treffen am 5. März 2026":                       "2026-03-05 2026-03-05 Treffen",
		"factures en mars 2026":                         "2026-03-01 2026-03-31 factures",
		"factures de la semaine dernière":               "2026-11-16 2026-11-22 factures",
		"compras en enero de 2026":                      "2026-01-01 2026-01-31 compras",
		"compras del mes pasado":                        "2026-10-01 2026-10-31 compras",
		"spese di dicembre 2025":                        "2025-12-01 2025-12-31 spese",
		"afspraken vorige week":                         "2026-11-16 2026-11-22 afspraken",
		"despesas em março":                             "2026-03-01 2026-03-31 despesas",
		"was seit Dezember geschah":                     "2025-12-01  was geschah",
		"a walk for 3 weeks":                            "",
		"es ist hier morgen":                            "2026-11-25 2026-11-25 es ist hier",
		"guten Morgen":                                  "",
		"Was ist morgen los?":                           "2026-11-25 2026-11-25 Was ist los",
		"was ist morgen":                                "2026-11-25 2026-11-25 was ist",
		"Termine morgen Abend":                          "2026-11-25 2026-11-25 Termine",
		"what is on tomorrow evening":                   "2026-11-25 2026-11-25 what is",
		"calls on Tuesday in the evening":               "2026-11-24 2026-11-24 calls",
		"movie night in May":                            "2026-05-01 2026-05-31 movie night",
		"meetings this afternoon":                       "2026-11-24 2026-11-24 meetings",
		"dinner tonight":                                "2026-11-24 2026-11-24 dinner",
		"réunions cet après-midi":                       "2026-11-24 2026-11-24 réunions",
		"citas esta tarde":                              "2026-11-24 2026-11-24 citas",
		"cena mañana por la noche":                      "2026-11-25 2026-11-25 cena",
		"cena domani sera":                              "2026-11-25 2026-11-25 cena",
		"Was habe ich am 15.11. gemacht":                "2026-11-15 2026-11-15 Was habe ich gemacht",
		"Essen am 3.6.":                                 "2026-06-03 2026-06-03 Essen",
		"Mails vom 1.11. bis 3.11.":                     "2026-11-01 2026-11-03 Mails",
		"version 15.13. of it":                          "",
		"it costs 15.11":                                "",
		"lunch 3 days ago":                              "2026-11-21 2026-11-21 lunch",
		"lunch two weeks ago":                           "2026-11-09 2026-11-15 lunch",
		"lunch since two weeks ago":                     "2026-11-09  lunch",
		"Leila over the last three months":              "2026-08-24 2026-11-24 Leila",
		"calls within the past week":                    "2026-11-16 2026-11-22 calls",
		"call on Monday":                                "2026-11-23 2026-11-23 call",
		"a walk in the sun":                             "",
		"a walk in sun":                                 "",
		"orders in 2025":                                "2025-01-01 2025-12-31 orders",
		"orders in the year 2025":                       "2025-01-01 2025-12-31 orders",
		"orders before 2026":                            " 2025-12-31 orders",
		"orders between 2024 and 2025":                  "2024-01-01 2025-12-31 orders",
		"orders since August":                           "2026-08-01  orders",
		"photos of the weekend of 7 November":           "2026-11-07 2026-11-08 photos",
		"photos of the week of 2026-11-05":              "2026-11-02 2026-11-08 photos",
		"report for Q3":                                 "2026-07-01 2026-09-30 report",
		"an Audi Q3":                                    "",
		"lunch on 14/02/2026":                           "2026-02-14 2026-02-14 lunch",
		"lunch on 02/14/2026":                           "2026-02-14 2026-02-14 lunch",
		"Essen am 03.06.2026":                           "2026-06-03 2026-06-03 Essen",
		"lunch on 03/06/2026":                           "", // 3 June or March 6
		"lunch on 14/13/2026":                           "",
		"before Easter":                                 "not read",
		"in summer":                                     "2026-06-01 2026-08-31 ",
		"Urlaub im Winter":                              "2025-12-01 2026-02-28 Urlaub",
		"dentiste en été":                               "2026-06-01 2026-08-31 dentiste",
		"tandarts in het voorjaar":                      "2026-03-01 2026-05-31 tandarts",
		"dentista en primavera":                         "2026-03-01 2026-05-31 dentista",
		"dinner in Spring Street":                       "",
		"spring cleaning":                               "",
		"the fall of Rome":                              "",
		"dentist Monday":                                "2026-11-23 2026-11-23 dentist",
		"Montag Zahnarzt":                               "2026-11-23 2026-11-23 Zahnarzt",
		"dentiste lundi":                                "2026-11-23 2026-11-23 dentiste",
		"dentista lunes":                                "2026-11-23 2026-11-23 dentista",
		"di lunedì dentista":                            "2026-11-23 2026-11-23 dentista",
		"tandarts op maandag":                           "2026-11-23 2026-11-23 tandarts",
		"Black Friday":                                  "",
		"Monday.com invoice":                            "",
		"Sunday roast":                                  "",
		"mardi gras":                                    "",
		"orders 5th to 9th October":                     "2026-10-05 2026-10-09 orders",
		"orders between 3 and 12 October":               "2026-10-03 2026-10-12 orders",
		"orders from 3 to 12 October 2025":              "2025-10-03 2025-10-12 orders",
		"mails between the 1st and the 3rd of November": "2026-11-01 2026-11-03 mails",
		"mails vom 1. bis 3. November":                  "2026-11-01 2026-11-03 mails",
		"mails zwischen dem 1. und 3. November":         "2026-11-01 2026-11-03 mails",
		"mails du 1er au 3 novembre":                    "2026-11-01 2026-11-03 mails",
		"mails entre le 1 et le 3 novembre":             "2026-11-01 2026-11-03 mails",
		"pedidos del 3 al 12 de octubre":                "2026-10-03 2026-10-12 pedidos",
		"orders October 5 to 9":                         "2026-10-05 2026-10-09 orders",
		"orders 1-5 October":                            "2026-10-01 2026-10-05 orders",
		"orders October 1–5":                            "2026-10-01 2026-10-05 orders",
		"orders March-May":                              "2026-03-01 2026-05-31 orders",
		"orders March to May":                           "2026-03-01 2026-05-31 orders",
		"orders 28 to 3 October":                        "not read",
		"orders 5, 6 and 7 October":                     "2026-10-05 2026-10-07 orders",
		"orders on 5th and 9th November":                "not read",
		"orders 5 and 6 November":                       "2026-11-05 2026-11-06 orders",
		"orders October 5 and 7":                        "not read",
		"orders in May or June":                         "2026-05-01 2026-06-30 orders",
		"orders in May, June and July":                  "2026-05-01 2026-07-31 orders",
		"orders in May and July":                        "not read",
		"orders on Monday and Tuesday":                  "2026-11-23 2026-11-24 orders",
		"Bestellungen im Mai oder Juli":                 "not read",
		"pedidos en mayo y junio":                       "2026-05-01 2026-06-30 pedidos",
		"orders yesterday and today":                    "2026-11-23 2026-11-24 orders",
		"orders in October or later":                    "not read",
		"Bestellungen im Oktober oder später":           "not read",
		"orders from October 2026 onwards":              "not read",
		"orders before or on 1 October":                 "not read",
		"orders in October last year":                   "not read",
		"in the last week before 14 November":           "not read",
		"orders 2 weeks before 14 November":             "not read",
		"orders the day after 5 October":                "not read",
		"orders the weekend of October":                 "not read",
		"orders in the month of October":                "2026-10-01 2026-10-31 orders",
		"orders up to 5 October":                        "not read",
		"orders before Christmas":                       "not read",
		"mail on 31 June":                               "not read",
		"mon prochain vol":                              "",
		"who sat next to me":                            "",
		"mails since Monday":                            "2026-11-23  mails",
		"mails depuis lundi":                            "2026-11-23  mails",
		"Mails ab Montag":                               "2026-11-23  Mails",
		"citas mañana":                                  "2026-11-25 2026-11-25 citas",
		"citas por la mañana":                           "",
		"the one from October":                          "2026-10-01 2026-10-31 the one",
		"dinner for two in May":                         "2026-05-01 2026-05-31 dinner for two",
		"a couple of weeks ago":                         "2026-11-09 2026-11-15 ",
		"orders not in October":                         "not read",
		"factures pas en octobre":                       "not read",
		"pedidos que no son de octubre":                 "not read",
		"Bestellungen ohne Tee im Oktober":              "not read",
		"what didn't come in October":                   "not read",
		"order no 1234 in October":                      "2026-10-01 2026-10-31 order no 1234",
		"NOT tea in October":                            "2026-10-01 2026-10-31 NOT tea",
		"orders Q1 and Q2 2026":                         "not read",
		"orders in 2025 or 2026":                        "2025-01-01 2026-12-31 orders",
		"orders October 5, 6, and 7":                    "2026-10-05 2026-10-07 orders",
		"orders October 5, 7":                           "not read",
		"orders on the 5th of October and the 6th":      "not read",
		"orders yesterday or the day before":            "not read",
		"orders by 5 October":                           "not read",
		"orders 2 weeks from 14 November":               "not read",
		"mails between Sunday and Monday":               "2026-11-22 2026-11-23 mails",
		"mails from Monday to Friday":                   "not read", // this week or last week
		"mails Monday last week":                        "not read",
		"dentist on 12 March 2026, 10:00":               "2026-03-12 2026-03-12 dentist 10:00",
		"dentist on Tuesday 3 March 2026":               "2026-03-03 2026-03-03 dentist",
		"my half marathon in October":                   "2026-10-01 2026-10-31 my half marathon",
		"dinner with Tom and Priya yesterday":           "2026-11-23 2026-11-23 dinner with Tom and Priya",
		"orders in March and rent":                      "2026-03-01 2026-03-31 orders and rent",
		"the day after tomorrow":                        "2026-11-26 2026-11-26 ",
		"Termine übermorgen":                            "2026-11-26 2026-11-26 Termine",
		"yesterday's run":                               "2026-11-23 2026-11-23 run",
		"this week’s groceries":                         "2026-11-23 2026-11-29 groceries",
		"today's weather":                               "2026-11-24 2026-11-24 weather",
		"one of May's letters":                          "",
		"a letter from May's mother":                    "",
		"I can't find the bill of October":              "2026-10-01 2026-10-31 I can't find the bill",
		"don't forget tea in October":                   "2026-10-01 2026-10-31 don't forget tea",
		"not sure about October 2026":                   "2026-10-01 2026-10-31 not sure",
		"nicht vergessen im Oktober":                    "2026-10-01 2026-10-31 nicht vergessen",
		"keine Ahnung wann":                             "",
		"cardinal sin in October":                       "2026-10-01 2026-10-31 cardinal sin",
		"Open Sans in October":                          "2026-10-01 2026-10-31 Open Sans",
		"invoice no A12 in October":                     "2026-10-01 2026-10-31 invoice no A12",
		"pedidos sin té en octubre":                     "not read",
		"why not":                                       "",
		"Ich kann den Pass nicht finden":                "",
		"mails older than January 2026":                 " 2025-12-31 mails",
		"mails that are older than June":                " 2026-05-31 mails that are",
		"mails from earlier than 3 May 2026":            " 2026-05-02 mails",
		"notes newer than March 2026":                   "2026-04-01  notes",
		"Mails älter als Januar 2026":                   " 2025-12-31 Mails",
		"Mails, die älter als der 3. Mai 2026 sind":     " 2026-05-02 Mails, sind",
		"Mails älter als März":                          " 2026-02-28 Mails",
		"messages plus anciens que janvier 2026":        " 2025-12-31 messages",
		"messages plus anciens que le 3 mai 2026":       " 2026-05-02 messages",
		"messages antérieurs à janvier 2026":            " 2025-12-31 messages",
		"messages avant janvier 2026":                   " 2025-12-31 messages",
		"correos más antiguos que enero de 2026":        " 2025-12-31 correos",
		"correos anteriores a enero de 2026":            " 2025-12-31 correos",
		"correos antes de enero de 2026":                " 2025-12-31 correos",
		"correos antes del 3 de mayo de 2026":           " 2026-05-02 correos",
		"mail più vecchie di gennaio 2026":              " 2025-12-31 mail",
		"mail prima di gennaio 2026":                    " 2025-12-31 mail",
		"mails ouder dan januari 2026":                  " 2025-12-31 mails",
		"mails vóór januari 2026":                       " 2025-12-31 mails",
		"emails mais antigos do que janeiro de 2026":    " 2025-12-31 emails",
		"emails antes de janeiro de 2026":               " 2025-12-31 emails",
		"mails prior to January 2026":                   " 2025-12-31 mails",
		"mails no later than January 2026":              "not read",
		"messages récents de mars 2026":                 "2026-03-01 2026-03-31 messages récents",
		"messages plus récents que mars 2026":           "2026-04-01  messages",
		"mails earlier in January 2026":                 "2026-01-01 2026-01-31 mails earlier",
		"mails von Ines nach Januar 2026":               "2026-02-01  mails von Ines",
		"never mind the rain":                           "",
		"bills that aren't paid":                        "not read",
	} {
		if got := timeIn(query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// timeIn returns the time that a query of 24 November 2026 names, and the remaining words.
func timeIn(query string) string {
	named, ok := written.NamedPeriod(query, time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC))
	switch {
	case named.Unread != "":
		return "not read"
	case !ok:
		return ""
	}
	return named.Since + " " + named.Until + " " + named.Rest
}

// A month in a bound becomes its first day or the day after its last; with an operator that is not a bound it stays unchanged.
func TestBoundsByAMonth(t *testing.T) {
	for operator, want := range map[string]string{
		"gte": `gte "2026-10-01"`, "gt": `gte "2026-11-01"`, "lt": `lt "2026-10-01"`, "lte": `lt "2026-11-01"`, "ne": "ne ",
	} {
		if name, value := written.Bound(operator, `"2026-10"`); name+" "+value != want {
			t.Errorf("%s is %s %s, want %s", operator, name, value, want)
		}
	}
}

// A time without its year or week has a coming occurrence, unless the words or the calendar leave no choice.
func TestTheComingOccurrenceOfATime(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC) // a Friday
	for query, want := range map[string]string{
		"what is on in December":       "2026-12-01 2026-12-31",
		"Termine am Dienstag":          "2026-12-01 2026-12-01",
		"am Freitag":                   "2026-12-04 2026-12-04",
		"rendez-vous mardi 5 décembre": "2026-12-05 2026-12-05",
		"am 1. Dezember":               "2026-12-01 2026-12-01",
		"Geburtstag im Februar":        "2027-02-01 2027-02-28",
		"el 3 de marzo":                "2027-03-03 2027-03-03",
		"in week 50":                   "2026-12-07 2026-12-13",
		"at Easter":                    "2027-03-26 2027-03-29",
		"orders March-May":             "2027-03-01 2027-05-31",
		"the last week of December":    "2026-12-25 2026-12-31",
		"tasks until Friday":           "2026-11-27 2026-12-04",
		"Termine ab Dezember":          "2026-12-01 ",
		"in November":                  "",
		"on 27 November":               "",
		"in December 2026":             "",
		"last December":                "",
		"next Tuesday":                 "",
		"yesterday":                    "",
		"last month":                   "",
		"am 15.12.":                    "2026-12-15 2026-12-15",
		"am 15.12.2026":                "",
	} {
		named, _ := written.NamedPeriod(query, now)
		got := ""
		if named.ComingSince != "" {
			got = named.ComingSince + " " + named.ComingUntil
		}
		if got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// The next of something is from today on.
func TestTheNextOfSomething(t *testing.T) {
	now := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	for query, want := range map[string]string{
		"when is my next yoga?": "when is my yoga", "mein nächster Termin": "mein Termin", "mon prochain vol": "mon vol", "próxima cita": "cita",
		"who sat next to me": "", `"next steps"`: "", "yoga": "",
	} {
		named, ok := written.NextOf(query, now)
		if ok != (want != "") || ok && (named.Since != "2026-11-27" || named.Until != "" || named.Rest != want) {
			t.Errorf("%s: %+v, %t", query, named, ok)
		}
	}
}
