package table

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Some columns say how the cells of other columns are meant.

// hints counts the cells that have a meaning for other columns.
type hints struct {
	sides    int // words for a debit or a credit
	initials int // of these, those that mean it only in a column with the name of a side
	offsets  int // offsets such as UTC+0100
}

// isDebit has the words for the two sides of an account.
var isDebit = map[string]bool{"debit": true, "credit": false, "dbit": true, "crdt": false, "soll": true, "haben": false,
	"af": true, "bij": false, "débit": true, "crédit": false, "debet": true, "débito": true, "crédito": false, "cargo": true, "abono": false,
	"dare": true, "avere": false, "d": true, "c": false, "s": true, "h": false, "dr": true, "cr": false, "out": true, "in": false}

var (
	sideName = item.Expression(`(?i)d[eé]bit|cr[eé]dit|soll|haben|direction|indicator|sign|kennzeichen|` +
		`(?:^|_)(?:dr?_cr?|cr?_dr?|s_h|dc|cd|drcr|kz|type|typ)(?:_|$)|^column_\d+$`)
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
		h.initials += count(len(cell) <= len("out") && !strings.EqualFold(cell, "bij") && !strings.EqualFold(cell, "af"))
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
