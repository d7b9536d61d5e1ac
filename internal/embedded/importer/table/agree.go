package table

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Agree settles what is ambiguous in a column by the other columns of its table. semicolons reports that these separate the cells.
func Agree(columns []*Column, semicolons bool) {
	assumeDecimalMark(columns, semicolons)
	assumeDateOrder(columns)
	pairTimes(columns)
	applyHints(columns)
}

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
)

// isSide reports a column that says of each row whether it is a debit. The words alone do not: they are also those of cards.
func (c *Column) isSide() bool {
	return c.areAll(c.hints.sides) && sideName().MatchString(c.Name) && !paidName().MatchString(c.Name)
}

// applyHints tells columns of amounts without signs which column has their sides, and columns of times that they are in UTC, as they are
// next to offsets from it.
func applyHints(columns []*Column) {
	side := slices.IndexFunc(columns, (*Column).isSide)
	zone := slices.IndexFunc(columns, func(c *Column) bool { return c.areAll(c.hints.zones) })
	areOffset := slices.ContainsFunc(columns, func(c *Column) bool { return c.areAll(c.hints.offsets) })
	for _, one := range columns {
		one.agreed.inUTC = areOffset || universalName().MatchString(one.Name)
		lacksZone := one.dates.hasClock && !one.dates.hasZone || one.agreed.clocks != nil
		if zone >= 0 && !areOffset && one.Present <= columns[zone].Present && lacksZone {
			one.agreed.zone = columns[zone].Name
		}
		isUnsigned := !one.amounts.hasNegative && one.amounts.sided == 0
		if side >= 0 && isUnsigned && one.Present <= columns[side].Present && sidedName().MatchString(one.Name) &&
			!balanceName().MatchString(one.Name) {
			one.agreed.side = columns[side].Name
		}
	}
}

// assumeDecimalMark settles columns whose numbers have two readings, such as 1.234. They are read like the columns of the same table that
// have one reading or a currency in their name, or else like those in which the marks are rather those of thousands. Without such columns
// they stay texts if semicolons separate the cells, because commas may then be decimal marks.
func assumeDecimalMark(columns []*Column, semicolons bool) {
	var found numberForms
	for _, one := range columns {
		isNamed := func(unit string) bool { return strings.Contains(one.Name, unit) }
		switch {
		case one.amounts.forms != eitherNumbers:
			found |= one.amounts.forms
		case slices.ContainsFunc(pointedUnits, isNamed):
			found |= pointNumbers
		}
	}
	thousands, form := ",", pointNumbers
	if semicolons {
		thousands, form = ".", commaNumbers
	}
	if found == 0 && slices.ContainsFunc(columns, func(c *Column) bool { return c.amounts.marksThousands(thousands) }) {
		found = form
	}
	if found != eitherNumbers {
		for _, one := range columns {
			one.agreed.numberForm, one.agreed.isOpen = found, semicolons && found == 0
		}
	}
}

// assumeDateOrder decides how ambiguous dates, such as 03/04/2026, are read: like the dates of another column of the same table that have
// only one reading. Without such a column the day comes first if numbers have decimal commas, since no country with decimal commas puts the
// month first.
func assumeDateOrder(columns []*Column) {
	var found uint64
	for _, one := range columns {
		switch isDay, isMonth := one.dates.forms&dayFirst != 0, one.dates.forms&monthFirst != 0; {
		case isDay && !isMonth:
			found |= dayFirst
		case isMonth && !isDay:
			found |= monthFirst
		}
	}
	if found == 0 && slices.ContainsFunc(columns, func(c *Column) bool { return c.amounts.forms == commaNumbers }) {
		found = dayFirst
	}
	for _, one := range columns {
		if found == dayFirst || found == monthFirst {
			one.dates.forms &= found | ^(dayFirst | monthFirst)
		}
	}
}

// pairTimes tells each column whether all dates of its table have a time of day. If not, a column of days learns which single other column
// has their times.
func pairTimes(columns []*Column) {
	isDated := func(c *Column) bool { return c.dates.all() > 0 }
	isDay := func(c *Column) bool { return isDated(c) && !c.dates.hasClock }
	allHaveClocks := slices.ContainsFunc(columns, isDated) && !slices.ContainsFunc(columns, isDay)
	for _, one := range columns {
		one.agreed.allHaveClocks = allHaveClocks
		if allHaveClocks || !isDated(one) {
			continue
		}
		clocks := slices.DeleteFunc(slices.Clone(columns), func(c *Column) bool { return !c.durations.isNamed || !areBeside(one.Name, c.Name) })
		if len(clocks) == 1 {
			one.agreed.clocks = clocks[0]
		}
	}
}

// areBeside reports that the names of a column of days and of one of times of day belong together: Date and Time, Start Date and Start
// Time.
func areBeside(days, times string) bool {
	rest := func(name string, word string) string {
		return strings.ToLower(strings.Trim(strings.Replace(name, word, "", 1), "_.- "))
	}
	day, clock := dayWord().FindString(days), timeWord().FindString(times)
	return day != "" && clock != "" && rest(days, day) == rest(times, clock)
}

// momentOf returns the moment of a day and a time of day: the day alone if there is no time, and "" if there is no day.
func momentOf(c Cell, day, clock string) string {
	written := c.timestamp(clean(day))
	if isMissing(written) {
		return ""
	}
	if at, ok := writeDate(time.DateOnly, written, clockOf(clean(clock))); ok {
		return at
	}
	return written
}
