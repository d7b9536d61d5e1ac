package table

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Some columns, and a line above some tables, say how the cells of other columns are meant.

// hints counts the cells that have a meaning for other columns.
type hints struct {
	sides    int // words for a debit or a credit
	initials int // of these, those that mean it only in a column with the name of a side
	offsets  int // offsets such as UTC+0100
}

// isDebit has the words for the two sides of an account.
var isDebit = map[string]bool{"debit": true, "credit": false, "dbit": true, "crdt": false, "soll": true, "haben": false, "af": true, "bij": false,
	"débit": true, "crédit": false, "debet": true, "débito": true, "crédito": false, "cargo": true, "abono": false, "dare": true, "avere": false,
	"d": true, "c": false, "s": true, "h": false, "dr": true, "cr": false, "out": true, "in": false}

var (
	sideName = item.Expression(`(?i)d[eé]bit|cr[eé]dit|soll|haben|direction|indicator|sign|kennzeichen|` +
		`(?:^|_)(?:dr?_cr?|cr?_dr?|s_h|dc|cd|drcr|kz|type|typ)(?:_|$)|^column_\d+$`)
	sidedName   = item.Expression(`(?i)amount|betrag|umsatz|bedrag|importe|importo|montant|valor|kwota|belopp|(?:^|_)(?:value|sum|summe)(?:_|$)`)
	balanceName = item.Expression(`(?i)balance|saldo|solde|stand`)
	timeOffset  = item.Expression(`^UTC[+-]\d{4}$`)
)

func (h *hints) addHint(cell string) {
	if _, ok := isDebit[strings.ToLower(cell)]; ok {
		h.sides++
		h.initials += count(len(cell) <= len("out") && !strings.EqualFold(cell, "bij") && !strings.EqualFold(cell, "af"))
	}
	h.offsets += count(len(cell) == len("UTC+0100") && timeOffset().MatchString(cell))
}

// isSide reports a column that says of each row whether it is a debit.
func (c *Column) isSide() bool {
	return c.sides > 0 && c.sides == c.Present && (c.initials == 0 || sideName().MatchString(c.Name))
}

// applyHints tells columns of amounts without signs which column has their sides, and columns of times that they are in UTC, as they are
// next to offsets from it.
func applyHints(columns []*Column) {
	side := slices.IndexFunc(columns, (*Column).isSide)
	areOffset := slices.ContainsFunc(columns, func(c *Column) bool { return c.offsets > 0 && c.offsets == c.Present })
	for _, one := range columns {
		one.universal = areOffset || universalName().MatchString(one.Name)
		if side >= 0 && !one.below && one.sided == 0 && one.Present <= columns[side].Present && sidedName().MatchString(one.Name) &&
			!balanceName().MatchString(one.Name) {
			one.side = columns[side].Name
		}
	}
}

// signed returns an amount with a minus if its side is a debit.
func signed(amount, side string) string {
	if isDebit[strings.ToLower(clean(side))] && strings.ContainsAny(amount, "123456789") {
		return "-" + strings.TrimSpace(amount)
	}
	return amount
}

// periodOf returns the first day of the period of a file of DATEV, which is in the line above its header: zero for any other file.
func periodOf(above []row) (from time.Time) {
	if len(above) > 0 && len(above[0].cells) > 14 && slices.Contains([]string{"EXTF", "DTVF"}, above[0].cells[0]) {
		from, _ = time.Parse(wholeDay, cmp.Or(above[0].cells[14], above[0].cells[12])) // else of the year
	}
	return from
}

// completeDays writes the days of a row of such a file as dates: 1501 or 15012026. Those without a year are in the year from its first day.
func completeDays(cells []string, header []string, from time.Time) {
	for index, cell := range cells[:min(len(cells), len(header))] {
		if !dateName().MatchString(header[index]) || len(cell) < 3 || !IsDigits(cell) {
			continue
		}
		if cell = strings.Repeat("0", len(cell)%2) + cell; len(cell) == len("0102") {
			cell += from.Format("2006")
		}
		if day, err := time.Parse("02012006", cell); err == nil {
			if day.Before(from) && len(cells[index]) <= len("0102") {
				day = day.AddDate(1, 0, 0)
			}
			cells[index] = day.Format(time.DateOnly)
		}
	}
}
