package table

import (
	"cmp"
	"math/bits"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

type dates struct {
	canBe    bool // the column can have dates: it is one of a table, or a JSON field with such a name
	stamps   int  // dates in the form that records have
	others   int  // dates in one of dateForms
	texts    int  // texts that are dates in no form
	rejected bool // no form fits all dates, or most texts are not dates: further texts are not examined

	forms   uint64 // the dateForms that fit all others, one bit each
	example string // the first of the others, or the first whose day and month differ

	booked      int  // dates with a second date, which they are booked as of
	hasClock    bool // a date has a time of day
	hasZone     bool // such a time has a zone
	offMidnight bool // such a time is not midnight
	isEarly     bool // a date is before 1980, and not the Unix epoch
	hasEpoch    bool // a date is the Unix epoch, which many programs write for no time at all
}

func (d *dates) all() int { return d.stamps + d.others }

// add counts a text. isStamp reports a date in the form that records have.
func (d *dates) add(text string) (isStamp bool) {
	if item.IsTimestamp(text) {
		d.stamps++
		d.noteTime(text)
		return true
	}
	if d.canBe && !d.rejected {
		d.addOther(text)
	}
	return false
}

// bookedDay returns the first day of a cell such as "09/16/2020 as of 09/15/2020", in which brokers write when something was booked and when
// it happened. ok is false for any other cell, which is returned as it is.
func bookedDay(cell string) (day string, ok bool) {
	day, other, ok := strings.Cut(cell, " as of ")
	if !ok || !isDay(day) || !isDay(other) {
		return cell, false
	}
	return day, true
}

// noteTime notes whether a date, in the form that records have, has a time of day, and whether that has a zone.
func (d *dates) noteTime(stamp string) {
	day, isEpoch := len(time.DateOnly), isEpoch(stamp)
	d.hasEpoch, d.isEarly = d.hasEpoch || isEpoch, d.isEarly || stamp < "1980" && !isEpoch
	if len(stamp) > day {
		d.hasClock, d.hasZone = true, d.hasZone || strings.ContainsAny(stamp[day:], "Z+-U")
		d.offMidnight = d.offMidnight || !isEpoch && !strings.HasPrefix(stamp[day+1:], "00:00")
	}
}

// addOther removes the forms that do not fit a date. A text that is a date in no form does not restrict the forms of the others.
func (d *dates) addOther(text string) {
	among := cmp.Or(d.forms, allForms)
	forms, written := formsOf(text, among)
	switch {
	case forms > 0:
		if d.forms == 0 || isSameSwapped(d.example) {
			d.example = text
		}
		d.others++
		d.forms = forms
		d.noteTime(written)
	case among != allForms && isDate(text): // in another form
		d.forms, d.rejected = 0, true
	default:
		d.texts++
		d.rejected = d.texts >= fewestTyped && d.texts > d.all()
	}
}

// haveSeveralForms reports dates of which no one form fits all.
func (d *dates) haveSeveralForms() bool {
	return d.texts == 0 && (d.rejected || d.stamps > 0 && d.others > 0)
}

// isSameSwapped reports a date whose day and month are the same number.
func isSameSwapped(date string) bool {
	parts := strings.FieldsFunc(date, func(one rune) bool { return strings.ContainsRune("/.-", one) })
	return len(parts) > 1 && strings.TrimLeft(parts[0], "0") == strings.TrimLeft(parts[1], "0")
}

// twoReadings describes the two readings of the dates; "" if they have one reading, or if there are no dates.
func (d *dates) twoReadings() string {
	if d.forms&dayFirst == 0 || d.forms&monthFirst == 0 {
		return ""
	}
	day, clock := splitDate(d.example)
	one, _ := writeDate(dateForms[bits.TrailingZeros64(d.forms&dayFirst)], day, clock)
	other, _ := writeDate(dateForms[bits.TrailingZeros64(d.forms&monthFirst)], day, clock)
	return d.example + " may be " + one + " or " + other
}

// form returns the only form that fits all cells, else "". Text such as 1.2.26 is a date only if the column has the name of a date.
func (d *dates) form(column string) string {
	forms := d.forms
	if forms&dottedLong != 0 || !dateName().MatchString(column) {
		forms &^= dottedShort
	}
	if bits.OnesCount64(forms) != 1 {
		return ""
	}
	return dateForms[bits.TrailingZeros64(forms)]
}

// Moment returns a date, with its time if it has one, in the form that records have. A text with two readings or none stays as it is.
func Moment(text string) string {
	var one dates
	one.forms, _ = formsOf(text, allForms)
	return Cell{form: one.form("")}.timestamp(text)
}
