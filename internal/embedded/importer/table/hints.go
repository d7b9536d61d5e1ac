package table

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Some columns say how the cells of other columns are meant.

// hints counts the cells that have a meaning for other columns.
type hints struct {
	sides   int // words for a debit or a credit
	offsets int // offsets such as UTC+0100
}

// isDebit has the words for the two sides of an account.
var isDebit = map[string]bool{"debit": true, "credit": false, "dbit": true, "crdt": false, "soll": true, "haben": false,
	"af": true, "bij": false, "débit": true, "crédit": false, "debet": true, "débito": true, "crédito": false, "cargo": true, "abono": false,
	"dare": true, "avere": false, "d": true, "c": false, "s": true, "h": false, "dr": true, "cr": false, "out": true, "in": false}

var (
	// sideName matches the name of a column that says whether a row is a debit, or which kind of transaction it is, in some languages.
	sideName = item.Expression(`(?i)d[eé]?b.*cr?[eé]?d|cr?[eé]?d.*d[eé]?b|soll|haben|dare_|cargo_|(?:^|_)(?:af|bij)(?:_|$)|direction|` +
		`indicator|sign|segno|sinal|kennzeichen|vorzeichen|richtung|transa[ckçz]|txn|(?:^|_)trans?[._]|booking|buchung|umsatz|posting|` +
		`entry|movement|movimi?ento|mouvement|op[eé]ra|lan[cç]amento|mutatie|(?:^|_)(?:dr?_*cr?|cr?_*dr?|s_h|kz)(?:_|$)|` +
		`^(?:type|typ|tipo|art|soort|kind|sens|side|nature|natureza|naturaleza|details|column_\d+)$`)
	// paidName matches the name of a column that says how something was paid, such as with a debit card.
	paidName  = item.Expression(`(?i)card|kart|kaart|cart[aãe]|tarjeta|pay|paid|paiement|pag[oa]|zahl|betaal|method|fund`)
	sidedName = item.Expression(`(?i)amount|betrag|umsatz|bedrag|importe|importo|montant|valor|kwota|belopp|` +
		`(?:^|_)(?:value|sum|summe)(?:_|$)`)
	balanceName = item.Expression(`(?i)balance|saldo|solde|kontostand`)
	timeOffset  = item.Expression(`^UTC[+-]\d{4}$`)
)

func (h *hints) addHint(cell string) {
	if len(cell) > len("UTC+0100") { // most texts
		return
	}
	if _, ok := isDebit[strings.ToLower(cell)]; ok {
		h.sides++
	}
	h.offsets += count(strings.HasPrefix(cell, "UTC") && timeOffset().MatchString(cell))
}

// signed returns an amount with a minus if its side is a debit.
func signed(amount, side string) string {
	if isDebit[strings.ToLower(clean(side))] && strings.ContainsAny(amount, "123456789") {
		return "-" + strings.TrimSpace(amount)
	}
	return amount
}
