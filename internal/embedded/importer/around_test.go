package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Lines that a bank writes above and below a table, such as the balance, become a separate stream.
func TestLinesAroundATableAreRecords(t *testing.T) {
	const table = "Tag;Text;Betrag;Wert\n15.01.26;Miete;-800,00;x\n16.01.26;Lohn;2.000,00;y\n"
	line := func(number float64, place, text string) map[string]any {
		return map[string]any{"line": number, "place": place, "text": text}
	}
	for _, test := range []struct {
		name  string
		files map[string]string
		want  map[string][]map[string]any
	}{
		{"above", map[string]string{"bank.csv": "\xef\xbb\xbf\"Girokonto\";\"DE12\"\n\"Kontostand vom 31.05.2026:\";\"7.214,88 €\"\n\"\"\n" + table}, map[string][]map[string]any{
			"bank_around": {line(1, "above the header", "Girokonto DE12"), line(2, "above the header", "Kontostand vom 31.05.2026: 7.214,88 €")}}},
		{"below", map[string]string{"bank.csv": table + "Kontostand;;3.487,50;\n\nUmsätze gesamt\nStand;31.01.2026\n"}, map[string][]map[string]any{
			"bank_around": {line(4, "a total below the table", "Kontostand 3.487,50"), line(6, "below the table", "Umsätze gesamt"), line(7, "below the table", "Stand 31.01.2026")}}},
		{"around the parts of one file", map[string]string{"a 2026-01.csv": "Saldo;1,00 €\n\n" + table, "a 2026-02.csv": "Saldo;2,00 €\n\n" + table}, map[string][]map[string]any{"a_around": {
			{"file": "a 2026-01.csv", "line": 1.0, "place": "above the header", "text": "Saldo 1,00 €"}, {"file": "a 2026-02.csv", "line": 1.0, "place": "above the header", "text": "Saldo 2,00 €"}}}},
		{"of a stream that the manifest declares completely", map[string]string{"b.csv": "Saldo;1,00 €\n\n" + table, "manifest.json": `{"streams":{"b":{"fields":[{"name":"Text","type":"text"}],"cursor_field":"Text","consent_time_field":"Text"}}}`}, nil},
		{"a file of such a name", map[string]string{"bank.csv": "Saldo;1,00 €\n\n" + table, "bank_around.csv": "n\n1\n"}, map[string][]map[string]any{
			"bank_around": {line(1, "above the header", "Saldo 1,00 €")}, "bank_around_2": {{"n": 1.0}}}},
		{"none", map[string]string{"bank.csv": table}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, _ := loadedTree(t, test.files)
			for name, all := range records {
				if len(all) > 0 && all[0]["Text"] != nil {
					delete(records, name)
				}
			}
			if len(records) == 0 {
				records = nil
			}
			if diff := cmp.Diff(test.want, records); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A row may have fewer cells than the header, and a total is a row that sums up the rows above it, anywhere in the table.
func TestRowsTotalsAndRemarks(t *testing.T) {
	const header, two = "Day;What;Sum;Tag;Note;Ref\n", "2026-01-01;a;10.5;t;n;r\n2026-01-02;b;20.5;t;n;r\n"
	const narrow, many = "Day;What;Sum\n", "2026-01-01;a;10,00\n2026-01-02;b;11,00\n"
	const falls, dated = "it is called a total, and no number of it is the sum of the rows above it; it is kept as a row", "it is called a total and is the sum of the rows above it, but has a date or an id as they do; it is kept as a row"
	for _, test := range []struct {
		name, text string
		rows       int
		around     []string // their texts
		kept       string   // why a row was kept, without the lines around the table
	}{
		{"short rows at the end", header + two + "2026-01-03;c;30.5\n2026-01-04;d\n", 4, nil, "the row has 3 cells, and the header 6; it is kept"},
		{"short rows alone", header + "2026-01-03;c;30.5\n2026-01-04;d;7\n", 2, nil, "the row has 3 cells, and the header 6; it is kept"},
		{"short rows of texts", "Name;Phone;Mail;Town\nAda;123;a@x;Rome\nBob;789\nCid;012\nDee\n", 4, nil, "the row has 2 cells, and the header 4; it is kept"},
		{"a remark below texts", "Name;Phone;Mail;Town\nAda;123;a@x;Rome\n* as told\n", 1, []string{"* as told"}, ""},
		{"a remark below an empty line", "Name;Phone;Mail;Town\nAda;123;a@x;Rome\n\nEnd\n", 1, []string{"End"}, ""},
		{"a remark below short rows", header + two + "2026-01-03;c;30.5\nAll without warranty\n", 3, []string{"All without warranty"}, "the row has 3 cells, and the header 6; it is kept"},
		{"remarks with numbers", "No;What;Sum\n1;a;10,00\n2;b;11,00\nStand 31.01.2026\n2 Buchungen\n", 2, []string{"Stand 31.01.2026", "2 Buchungen"}, ""},
		{"a total above a remark", narrow + many + "Summe;;21,00\n* ohne Gewähr;;\n", 2, []string{"Summe 21,00", "* ohne Gewähr"}, ""},
		{"a total above a balance", narrow + many + "Summe;;21,00\nEndsaldo;;99,00\n", 2, []string{"Summe 21,00", "Endsaldo 99,00"}, ""},
		{"a balance above a total", narrow + many + "Endsaldo;;99,00\nSumme;;21,00\n", 2, []string{"Endsaldo 99,00", "Summe 21,00"}, ""},
		{"subtotals", narrow + many + "Zwischensumme;;21,00\n2026-02-02;c;5,00\n2026-02-03;d;5,00\nSumme Februar:;;10,00\nGesamt;;31,00\n", 4, []string{"Zwischensumme 21,00", "Summe Februar: 10,00", "Gesamt 31,00"}, ""},
		{"totals of totals", "Day,Sum\n2026-01-01,1\n2026-01-02,2\nTotal January,3\n2026-02-01,4\nTotal February,4\nTotal Q1,7\n2026-04-01,5\nTotal April,5\n2026-05-01,6\nTotal May,6\nTotal Q2,11\nTotal,18\n", 5,
			[]string{"Total January 3", "Total February 4", "Total Q1 7", "Total April 5", "Total May 6", "Total Q2 11", "Total 18"}, ""},
		{"a total without a name", narrow + many + ";;21,00\n2026-02-02;c;5,00\n", 3, []string{"21,00"}, ""},
		{"an unknown name of a total", narrow + many + "Ergebnis;;21,00\n", 2, []string{"Ergebnis 21,00"}, ""},
		{"a row without its day", narrow + many + ";c;21,00\n;;20,00\n", 4, nil, ""},
		{"rows that are alike", narrow + "2026-01-01;a;10,00\n;;10,00\n", 2, nil, ""},
		{"a shop of such a name", narrow + many + "2026-01-03;Total;21,00\n", 3, nil, dated},
		{"a total of something else at the end", "Day;Sum\n2026-01-01;1\n2026-01-02;2\n2026-01-03;3\nTotal;7\n", 3, []string{"Total 7"}, ""},
		{"a total of something else among rows", "Day;Sum\n2026-01-01;1\nTotal;7\n2026-01-02;2\n2026-01-03;3\n", 4, nil, falls},
		{"a total below an average", "Name;Score\nAnna;10\nBert;20\nAverage;15\nTotal;30\n", 3, []string{"Total 30"}, ""},
		{"names that begin so", "Team;Played;Points\nTotal Network;3;9\nTotal FC;3;4\nAjax;1;2\n", 3, nil, ""},
		{"a name that begins so, below one row", "What;Calories\nApple;50\nTotal yogurt;50\nBanana;90\n", 3, nil, ""},
		{"a total with a day", "What;Day;Sum\na;2026-01-01;1\nb;2026-01-02;2\nTotal;2026-01-03;3\n", 3, nil, dated},
		{"a total of thousands", "What;Sum\na;1.000\nb;2.500\nTotal;3.500\n", 2, []string{"Total 3.500"}, `"Sum" stays a text: 1.000 may be 1000 or 1.000, and nothing else in the file says which`},
		{"a total with a currency, of two columns", "What;Sum;Tax\na;1.000,50 €;0,00 €\nb;-2,25 €;0,00 €\nGrand total;998,25 €;0,00 €\n", 2, []string{"Grand total 998,25 € 0,00 €"}, ""},
		{"numbers that add up", "a;b;c\n1;2;3\n2;3;4\n3;5;7\n", 3, nil, ""},
		{"a wide line above the header", "Account;Owner;Currency;State;Branch;BIC\n" + narrow + many, 2, []string{"Account Owner Currency State Branch BIC"}, ""},
		{"a line with more cells than all others", "a;b;c;d;e;f;g;h;i;j;k;l\n" + narrow + many, 2, []string{"a b c d e f g h i j k l"}, ""},
		{"a remark above the header", "# export 2026\na,b\n1,2\n3,4\n", 2, []string{"# export 2026"}, ""},
		{"a header that begins so", "#a,b\n1,2\n3,4\n", 2, nil, ""},
		{"two tables of one header", "Day;Sum\n2026-01-01;10\nSumme;10\n\nOut\nDay;Sum\n2026-01-02;-4\nSumme;-4\n", 2, []string{"Summe 10", "Out", "Summe -4"}, ""},
		{"numbers of two readings", "What,Steps\na,\"8,234\"\nb,\"9,100\"\n", 2, nil, `"Steps" stays a text: 8,234 may be 8.234 or 8234, and nothing else in the file says which`},
		{"a balance of mBank", "#Data;#Opis;#Kwota\n2026-01-02;Sklep;-23,48 PLN\n2026-01-05;Przelew;5 000,00 PLN\n\n#Saldo końcowe;;4 976,50 PLN\n", 2, []string{"#Saldo końcowe 4 976,50 PLN"}, ""},
		{"amounts whose signs are in another column", "Date,Description,Amount,Transaction Type\n1/15/2026,Shop,12.50,debit\n1/16/2026,Pay,900.00,credit\n", 2, nil,
			`"Amount" has no minus in the file: it is made negative where "Transaction_Type" is a debit`},
		{"a row of units", "Date,Weight,Run\n,kg,km\n2026-01-15,70.5,5\n2026-01-16,70.1,\n", 3, nil, `"Weight" stays a text: not a number in 1 of 3 records`},
		{"a first row that may be a header", "Coffee,3\nTea,2\n", 1, nil, "the line above it names the columns, although it has a number where this row has one; it may be a row"},
		{"a year and days that are names", "Name,2026\nAnn,3\n", 1, nil, ""},
		{"days of a month", "Habit,1,2\nRun,0,1\n", 1, nil, ""},
		{"codes among numbers", "Flat,n\n12,1\n14a,2\n15,3\n", 3, nil, ""},
		{"days of two readings", "Day,What\n01/01/2026,a\n02/02/2026,b\n03/04/2026,c\n", 3, nil, `"Day" stays a text: 03/04/2026 may be 2026-04-03 or 2026-03-04, and nothing else in the file says which`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var kept []string
			reports := 0
			corpus, err := Open(t.Context(), writeFolder(t, map[string]string{"t.csv": test.text}), nil, Watch{Kept: func(s Skip) {
				if strings.Contains(s.Reason, "around the table") {
					reports++
				} else {
					kept = append(kept, s.Reason)
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			var around []string
			rows := 0
			for _, record := range collectRecords(t, corpus) {
				if text, ok := valueOf(t, record, "text"); ok && record.Stream == "t_around" {
					around = append(around, text)
				} else {
					rows++
				}
			}
			if diff := cmp.Diff(test.around, around); diff != "" || rows != test.rows || reports != min(len(around), 1) {
				t.Errorf("%d rows, %d reports (-want +got)\n%s", rows, reports, diff)
			}
			if got := strings.Join(kept[:min(len(kept), 1)], ""); got != test.kept {
				t.Errorf("kept %q", kept)
			}
		})
	}
}
