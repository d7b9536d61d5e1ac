package table

import (
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// hints counts the cells that say how those of other columns are meant.
type hints struct {
	sides   int  // words for a debit or a credit
	offsets int  // offsets such as UTC+0100
	zones   int  // time zones, in a column with the name of one: CEST, UTC+3, Europe/Berlin
	isZone  bool // the column has such a name
}

// isDebit has the words for the two sides of an account.
var isDebit = map[string]bool{"debit": true, "credit": false, "dbit": true, "crdt": false, "soll": true, "haben": false,
	"af": true, "bij": false, "débit": true, "crédit": false, "debet": true, "débito": true, "crédito": false, "cargo": true, "abono": false,
	"dare": true, "avere": false, "d": true, "c": false, "s": true, "h": false, "dr": true, "cr": false, "out": true, "in": false}

var timeOffset = item.Expression(`^UTC[+-]\d{4}$`)

func (h *hints) add(cell string) {
	if h.isZone {
		_, err := inZone(time.DateOnly, cell)
		h.zones += count(err == nil)
	}
	if len(cell) > len("UTC+0100") { // most texts
		return
	}
	_, isSide := isDebit[strings.ToLower(cell)]
	h.sides += count(isSide)
	h.offsets += count(strings.HasPrefix(cell, "UTC") && timeOffset().MatchString(cell))
}

// signed returns an amount with a minus if its side is a debit.
func signed(amount, side string) string {
	if isDebit[strings.ToLower(clean(side))] && strings.ContainsAny(amount, "123456789") {
		return "-" + strings.TrimSpace(amount)
	}
	return amount
}
