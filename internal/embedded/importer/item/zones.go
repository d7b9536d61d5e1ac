package item

// offsets are those of the names of zones that stand behind times: the ones of RFC 822, and the ones of Europe, East Asia and Australia
// that have no second meaning.
var offsets = map[string]string{
	"EST": "-05:00", "EDT": "-04:00", "CST": "-06:00", "CDT": "-05:00", "MST": "-07:00", "MDT": "-06:00", "PST": "-08:00", "PDT": "-07:00",
	"WET": "+00:00", "WEST": "+01:00", "CET": "+01:00", "CEST": "+02:00", "MEZ": "+01:00", "MESZ": "+02:00", "EET": "+02:00", "EEST": "+03:00",
	"MSK": "+03:00",
	"JST": "+09:00", "KST": "+09:00", "AEST": "+10:00", "AEDT": "+11:00", "NZST": "+12:00", "NZDT": "+13:00",
}

// ZoneOffset is how far from UTC a zone is that has such a name, as +01:00: empty if that is not known.
func ZoneOffset(name string) string { return offsets[name] }
