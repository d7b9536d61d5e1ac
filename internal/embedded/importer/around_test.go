package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a bank writes above and below a table, such as the balance, is a stream of its own.
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
		{"of the parts of one", map[string]string{"a 2026-01.csv": "Saldo;1,00 €\n\n" + table, "a 2026-02.csv": "Saldo;2,00 €\n\n" + table}, map[string][]map[string]any{"a_around": {
			{"file": "a 2026-01.csv", "line": 1.0, "place": "above the header", "text": "Saldo 1,00 €"}, {"file": "a 2026-02.csv", "line": 1.0, "place": "above the header", "text": "Saldo 2,00 €"}}}},
		{"of which the manifest declares all", map[string]string{"b.csv": "Saldo;1,00 €\n\n" + table, "manifest.json": `{"streams":{"b":{"fields":[{"name":"Text","type":"text"}],"cursor_field":"Text","consent_time_field":"Text"}}}`}, nil},
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
