package written

import (
	"cmp"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// LocalTime reads a time without an offset, such as "2026-06-30T09:15:00" or "2026-06-30 09:15", as a time in a zone.
func LocalTime(text string, zone *time.Location) (t time.Time, ok bool) {
	for _, layout := range []string{"T15:04:05", "T15:04", " 15:04:05", " 15:04"} {
		if t, err := time.ParseInLocation(time.DateOnly+layout, text, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

var (
	compactTime = Expression(`^([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})`)
	zonedTime   = Expression(`^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?)?\s*([A-Za-z+-][\w/+:-]*)$`)
)

// zoned returns a time with a zone after it as an instant: "2026-03-12T14:30:00 EST", "2026-03-12 14:30 Europe/London", with a date alone
// for its start, "2026-03-01T00:00:00+0530" and "20260312T143000Z"; "" for any other text.
func zoned(s string) string {
	found := zonedTime().FindStringSubmatch(compactTime().ReplaceAllString(s, "$1-$2-${3}T$4:$5:$6"))
	if found == nil {
		return ""
	}
	local := found[1] + "T" + cmp.Or(found[2], "00:00") + cmp.Or(found[3], ":00")
	for _, layout := range []string{"Z0700", "Z07:00"} {
		if t, err := time.Parse("2006-01-02T15:04:05"+layout, local+found[4]); err == nil {
			return t.Format(time.RFC3339)
		}
	}
	zone, err := time.LoadLocation(cmp.Or(Zone(found[4]), found[4]))
	if err != nil || zone == time.Local {
		return ""
	}
	if t, ok := LocalTime(local, zone); ok {
		return t.Format(time.RFC3339)
	}
	return ""
}

// Zone returns the IANA zone for an offset, a city or a common abbreviation; "" if there is none.
func Zone(name string) string {
	if found := offsetForm().FindStringSubmatch(strings.ToUpper(name)); found != nil {
		sign := map[string]string{"+": "-", "-": "+"}[found[1]] // zones of Etc/GMT have the opposite sign
		if hours := strings.TrimLeft(found[2], "0"); hours != "" {
			return "Etc/GMT" + sign + hours
		}
		return "UTC"
	}
	if zone := zoneWords[strings.ToUpper(name)]; zone != "" || strings.Contains(name, ".") {
		return zone
	}
	words := strings.Fields(strings.ReplaceAll(firstLetters().ReplaceAllStringFunc(Folded(name), strings.ToUpper), "_", " "))
	zone, areas := strings.Join(words, "_"), []string{"Europe/", "America/", "Asia/", "Africa/", "Australia/", "Pacific/", "Atlantic/"}
	if strings.Contains(zone, "/") {
		areas = []string{""}
	}
	for _, area := range areas {
		if _, err := time.LoadLocation(area + zone); zone != "" && err == nil {
			return area + zone
		}
	}
	return ""
}

var (
	firstLetters = Expression(`(?:^|[/_ ])[a-z]`) // of the words of a zone
	offsetForm   = Expression(`^(?:GMT|UTC)?\s*([+-])\s*([01]?[0-9])(?::?00)?$`)
	zoneWords    = lexicon.Meanings("zone")
)
