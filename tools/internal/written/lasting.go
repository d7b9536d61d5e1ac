package written

import (
	"math"
	"strconv"
	"strings"
)

var (
	clockSpan = Expression(`^([0-9]{1,5}):([0-5][0-9])(?::([0-5][0-9](?:[.,][0-9]+)?))?$`)
	wordSpan  = Expression(`^(?:[0-9]+(?:[.,][0-9]+)?\s*\pL+\.?(?:,?\s*(?:and |und |et |y |e )?))*(?:[0-9]{1,2})?$`)
	partSpan  = Expression(`([0-9]+(?:[.,][0-9]+)?)\s*(\pL*)`)
	ofHours   = Expression(`(?i)hours|stunden|heures|horas|(?:^|_)(?:h|hrs|std|hh_mm)(?:_|$)`)

	spanUnits = ByWord(map[string]string{
		"1":     "s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondo secondi",
		"60":    "m min mins mn minute minutes minuten minuto minutos minuti minuut",
		"3600":  "h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur",
		"86400": "d day days tag tage tagen jour jours día días dia dias giorno giorni dag dagen",
	})
)

// Seconds is how long a text says that something in a field lasted, as JSON: 02:00:00, 2h, 90 min, 1h 30m and PT2H; "" for any other value.
// A pair such as 5:33 is of minutes and seconds, unless the field is called after hours.
func Seconds(field, raw string) string {
	s, _ := Text(raw)
	s = strings.ToLower(strings.TrimSpace(s))
	if found := clockSpan().FindStringSubmatch(s); found != nil {
		took := 60*amount(found[1]) + amount(found[2])
		if found[3] != "" || ofHours().MatchString(Snake(field)) {
			took = 60*took + amount(found[3])
		}
		return plainSeconds(took)
	}
	if iso, ok := strings.CutPrefix(s, "p"); ok {
		s = strings.Replace(iso, "t", "", 1)
	}
	if s == "" || !wordSpan().MatchString(s) {
		return ""
	}
	took, least := 0.0, math.Inf(1)
	for _, part := range partSpan().FindAllStringSubmatch(s, -1) {
		unit := amount(spanUnits[part[2]])
		if part[2] == "" && least == 3600 { // 1h30
			unit = 60
		}
		if unit == 0 || unit >= least {
			return ""
		}
		took, least = took+amount(part[1])*unit, unit
	}
	return plainSeconds(took)
}

// InField is what a value means in a field by the name of that: a day without signs, or, where the field has numbers, [Seconds] or what is
// counted; "" for nothing of these.
func InField(field, raw string, isNumber bool) string {
	day, took := compactDay(raw), Seconds(field, raw)
	switch {
	case day != "" && IsTimeName(field):
		return day
	case !isNumber:
		return ""
	case strings.HasSuffix(field, "_seconds") && took != "":
		return took
	}
	return counted(raw)
}

// amount is the number that digits are, 0 for none.
func amount(digits string) float64 {
	number, _ := strconv.ParseFloat(strings.Replace(digits, ",", ".", 1), 64)
	return number
}

func plainSeconds(took float64) string {
	return strconv.FormatFloat(math.Round(took*1000)/1000, 'f', -1, 64)
}
