package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Nobody adds identifiers up, and people search for them.
func TestIdentifiersAreTextsAndAmountsAreNumbers(t *testing.T) {
	texts := map[string][]string{
		"9780141036144 9783161484100 9780306406157": {"ISBN13", "isbn_13", "EAN", "GTIN-13"},
		"10965 80331 20095": {"PLZ", "Postleitzahl", "ZIP Code", "zip", "postal_code", "Postcode", "Code postal", "Código postal", "CAP",
			"Codice postale", "Código Postal", "ship_postal_code", "billingZip"},
		"4915110000003 493012345 12025550143": {"Phone", "Telefon", "phone_number", "Téléphone", "Teléfono", "Telefono", "Telefone", "Telefoonnummer",
			"Handynummer", "mobile", "Home Phone", "Phone 2"},
		"-31007 -31007 -31007":         {"Account #", "Account Number"},
		"1234567 76543 123456789":      {"Kontonummer", "Konto-Nr.", "Numéro de compte", "Número de cuenta", "Numero di conto", "Número da conta", "Rekeningnummer", "accountNumber"},
		"4417 1007 2210":               {"Card", "Karte", "Card No", "Kartennummer", "Carte", "Tarjeta", "N° de carte", "Last 4 digits"},
		"998 1002 1010":                {"Kundennr", "Kundennummer", "Customer No.", "Customer Number", "Numéro client", "Número de cliente", "Codice cliente", "Klantnummer"},
		"88012 99123 100234":           {"Order No", "orderNumber", "Bestellnummer", "Auftragsnr.", "Numéro de commande", "Nº de pedido", "Numero ordine", "Bestelnummer"},
		"20260017 20260018 20260019":   {"Invoice No.", "Rechnungsnummer", "N° facture", "Número de factura", "Numero fattura", "Nº da fatura", "Factuurnummer", "Referenz"},
		"94001118995 94001118996 9400": {"Tracking Number", "Sendungsnummer", "Numéro de suivi", "Número de seguimiento", "Código de rastreio"},
		"23456 23457 23458": {"Identifiant", "C.P.", "DNI", "Codice fiscale", "Partita IVA", "Contribuinte", "BSN", "Confirmation #", "Numéro de série",
			"Purchase Order", "Réf.", "Routing #", "KvK-nummer", "Meter No"},
		"17171717171 17171717172 9876543": {"Activity ID", "activity_id", "logId", "Activity_ID", "Steuer-ID", "Mitgliedsnummer", "Matricule"},
	}
	numbers := map[string][]string{
		"10432 12045 11876": {"Steps", "Schritte", "Número de pasos", "Numero di passi", "Nombre de pas", "Order Total", "Account Balance", "Count",
			"Number of Steps", "Anzahl", "Size", "Distance", "Card Payments", "Phone Calls", "Followers", "Zip Files", "Karten", "Views", "Identified", "Paid", "Mobile", "Portable"},
		"1 2 3":             {"Track Number", "Episode No", "Startnummer", "Lap"},
		"2014 1999 2026":    {"Year", "Jahr", "Year Published", "Calories", "Kalorien", "Umsatz", "Amount", "Betrag"},
		"12.50 900.00 7.25": {"Order No", "Account", "Karte"},
	}
	check := func(t *testing.T, name, values, want string) {
		t.Helper()
		some := strings.Fields(values)
		corpus, _ := openFolder(t, writeFolder(t, map[string]string{
			"t.csv":   "what," + name + "\nx," + strings.Join(some, "\ny,") + "\n",
			"j.jsonl": fmt.Sprintf("{%q:%s}\n{%q:%s}\n{%q:%s}\n", name, some[0], name, some[1], name, some[2]),
		}))
		for _, stream := range corpus.Connectors[0].Streams {
			field := stream.Fields[len(stream.Fields)-1]
			isText := field.Type == "string" && field.Lexical && !slices.Contains(field.Aggregations, "sum")
			if want == "text" && !isText || want == "number" && field.Type != "integer" && field.Type != "number" {
				t.Errorf("%s: %q with %s is %+v", stream.Name, name, values, field)
			}
		}
	}
	for values, names := range texts {
		for _, name := range names {
			check(t, name, values, "text")
		}
	}
	for values, names := range numbers {
		for _, name := range names {
			check(t, name, values, "number")
		}
	}
}

func TestIdentifiersKeepTheirDigits(t *testing.T) {
	records, _ := loadedTree(t, map[string]string{
		"a.csv":  "Kundennr,Ort\n10023,a\n10024,b\n,c\n",
		"b.json": `[{"logId":40000000027.0,"n":1.5},{"logId":40000000028,"n":2}]`,
		"c.csv":  "Kundennr\n1001\n1002\n1003\n1004\n1005\n1006\n1007\nunbekannt\n",
	})
	want := map[string][]any{"a Kundennr": {"10023", "10024", nil}, "b logId": {"40000000027", "40000000028"},
		"c Kundennr": {"1001", "1002", "1003", "1004", "1005", "1006", "1007", "unbekannt"}}
	for at, values := range want {
		stream, name, _ := strings.Cut(at, " ")
		var got []any
		for _, record := range records[stream] {
			got = append(got, record[name])
		}
		if !slices.Equal(got, values) {
			t.Errorf("%s: %v, want %v", at, got, values)
		}
	}
}

func TestNoSumOfIDs(t *testing.T) {
	stream := inferred(t, `{"id":7,"lap":1,"shelf_id":3,"Bestell-Nr":9}`, `{"id":12,"lap":2,"shelf_id":14,"Bestell-Nr":10}`)
	for _, field := range stream.Fields {
		if sums := slices.Contains(field.Aggregations, "sum"); field.Type != "integer" || sums != (field.Name == "lap") {
			t.Errorf("%+v", field)
		}
	}
}
