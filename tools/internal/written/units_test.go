package written_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The currency of an amount is in the field named after it. A count, or an amount that names its own currency, does not use the currency
// of another amount.
func TestUnitField(t *testing.T) {
	for fields, want := range map[string]string{ // the first field is the number
		"Betrag_Fremdwährung Fremdwährung Empfänger":     "Fremdwährung",
		"Betrag_Fremdwährung Währung Fremdwährung":       "Fremdwährung",
		"Betrag Währung Fremdwährung":                    "Währung",
		"Betrag_EUR Fremdwährung":                        "",
		"Distance.sum unit Distance.unit Energy.unit":    "Distance.unit",
		"amount_eur original_currency":                   "",
		"Amount_Foreign_Currency_ Type_Foreign_Currency": "Type_Foreign_Currency",
		"Original_Amount Currency Original_Currency":     "Original_Currency",
		"Amount Currency Original_Currency":              "Currency",
		"Source_amount Source_currency Target_currency":  "Source_currency",
		"Amount Source_currency Target_currency":         "",
		"Amount Original_Currency":                       "Original_Currency",
		"Quantity Original_Currency":                     "",
		"Menge Fremdwährung":                             "",
		"Original_Quantity Original_Currency":            "",
		"item_count currency":                            "",
		"total currency_note unit_of_work":               "",
		"price price_unit currency":                      "price_unit",
		"value Value_Currency value_unit":                "Value_Currency",
		"Wechselkurs Fremdwährung":                       "",
		"valor moneda Moneda":                            "Moneda",
		"":                                               "",
	} {
		names := strings.Split(fields, " ")
		if got := written.UnitField(names[0], names[1:]); got != want {
			t.Errorf("%s: %q, want %q", fields, got, want)
		}
		slices.Reverse(names[1:])
		if got := written.UnitField(names[0], names[1:]); got != want {
			t.Errorf("%s, reversed: %q, want %q", fields, got, want)
		}
	}
}
