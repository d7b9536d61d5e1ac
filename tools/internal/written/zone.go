package written

import (
	"strings"
	"time"
)

// Zone is the IANA zone that an offset, a city or a common abbreviation means; "" if there is none.
func Zone(name string) string {
	if found := offsetForm().FindStringSubmatch(strings.ToUpper(name)); found != nil {
		sign := "-" // the signs of these zones are the other way round
		if found[1] == "-" {
			sign = "+"
		}
		if hours := strings.TrimLeft(found[2], "0"); hours != "" {
			return "Etc/GMT" + sign + hours
		}
		return "UTC"
	}
	if zone := zoneWords[strings.ToUpper(name)]; zone != "" {
		return zone
	}
	var city []string
	for _, word := range strings.FieldsFunc(name, func(c rune) bool { return c == ' ' || c == '_' }) {
		city = append(city, strings.ToUpper(word[:1])+strings.ToLower(word[1:]))
	}
	for _, area := range []string{"Europe", "America", "Asia", "Africa", "Australia", "Pacific", "Atlantic"} {
		if zone := area + "/" + strings.Join(city, "_"); len(city) > 0 && !strings.ContainsAny(name, "/.") {
			if _, err := time.LoadLocation(zone); err == nil {
				return zone
			}
		}
	}
	return ""
}

var (
	offsetForm = Expression(`^(?:GMT|UTC)?\s*([+-])\s*([01]?[0-9])(?::?00)?$`)
	zoneWords  = map[string]string{
		"BST": "Europe/London", "CEST": "Europe/Berlin", "EEST": "Europe/Athens", "WEST": "Europe/Lisbon", "EDT": "America/New_York",
		"ET": "America/New_York", "CDT": "America/Chicago", "MDT": "America/Denver", "PT": "America/Los_Angeles", "PDT": "America/Los_Angeles",
		"PST": "America/Los_Angeles", "JST": "Asia/Tokyo", "AEST": "Australia/Sydney", "Z": "UTC",
	}
)
