package table

import (
	"cmp"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

var (
	zoneName    = item.Expression(`(?i)zone|^tz|[._ ]tz$|fuseau|huso|fuso|(?:utc|gmt|time)_?offset`)
	shortOffset = item.Expression(`^(?:UTC|GMT)? ?([+-](?:0?\d|1[0-4]))(?::?([0-5]\d))?$`)
)

// inZone returns the moment at which clocks show a local time in a zone: one of IANA, an offset such as UTC+3, or an abbreviation.
func inZone(clock, zone string) (time.Time, error) {
	place, err := time.LoadLocation(cmp.Or(strings.TrimSpace(zone), "none"))
	if parts := shortOffset().FindStringSubmatch(cmp.Or(offsets[zone], zone)); parts != nil {
		east, _ := time.ParseDuration(parts[1] + "h0" + parts[2] + "m") // digits
		place, err = time.FixedZone("", int(east.Seconds())), nil
	}
	if err != nil {
		return time.Time{}, err
	}
	layout := "2006-01-02T15:04:05"
	return time.ParseInLocation(layout[:min(len(layout), len(clock))], clock, place)
}

// withZone adds the zone in another cell to the local time, as JSON, at the end of a record. Any other value stays.
func withZone(record []byte, from int, zone string) []byte {
	clock := strings.Trim(string(record[from:]), `"`)
	if moment, err := inZone(clock, zone); err == nil && len(clock) > len(time.DateOnly) {
		return model.Quote(record[:from], moment.Format(time.RFC3339Nano))
	}
	return record
}
