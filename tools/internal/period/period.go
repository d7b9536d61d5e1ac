// Package period searches a resource server that filters by time one stream at a time as if it could search a period of all.
package period

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

// A Period is the time that a search is limited to; the empty one limits nothing.
type Period struct{ Since, Until string } // dates, or RFC 3339; "" for no bound

// Bounds are the first instant of a period and the one before which it ends; zero where it has none. A date is the whole day.
func (p Period) Bounds(zone *time.Location) (from, before time.Time) {
	bound := func(text string, days int, beyond time.Duration) time.Time {
		t, err := rs.ReadTime(text)
		switch {
		case err != nil:
			return time.Time{}
		case filter.IsDate(text):
			return filter.StartOfDay(t.AddDate(0, 0, days), zone)
		}
		return t.Add(beyond)
	}
	return bound(p.Since, 0, 0), bound(p.Until, 1, 1)
}

// filter is the period as conditions on a field.
func (p Period) filter(field string, kind filter.DateKind, zone *time.Location) filter.Filter {
	var f filter.Filter
	for operator, value := range map[string]string{"gte": p.Since, "lte": p.Until} {
		if t, err := rs.ReadTime(value); err == nil && kind == filter.Dates && !filter.IsDate(value) {
			value = t.In(zone).Format(time.DateOnly)
		}
		if value != "" {
			f = append(f, filter.Condition{Field: field, Operator: operator, Value: value})
		}
	}
	f, _ = f.WholeDays(func(string) filter.DateKind { return kind }, zone)
	return f
}

// lasting is what began before a period and lasts into it, as conditions on the times of a source.
func (p Period) lasting(s source, zone *time.Location) filter.Filter {
	from, _ := p.Bounds(zone)
	bound := from.UTC().Format(time.RFC3339Nano)
	if s.Kind == filter.Dates {
		bound = from.In(zone).Format(time.DateOnly)
	}
	return filter.Lasting(s.Time, s.End, s.Kind, bound)
}

// DefaultHits is how many hits a page has that is made here or by the repair of a search, where no limit is sent.
const DefaultHits = 20

// A cursor is where a search of a period goes on. Hits are counted from the first; those of a timeline from the first that is as old
// as the last that was shown, so that records that were added meanwhile move nothing.
type cursor struct {
	shown int
	at    string // RFC 3339; "" but in a timeline
}

const (
	cursorPrefix = "period."
	markChars    = 6
)

// mark tells a search from another: its words, streams, filter and period.
func (p *Reader) mark(r rs.Request) string {
	query := url.Values{}
	maps.Copy(query, r.Query)
	query.Del("cursor")
	query.Del("limit")
	sum := sha256.Sum256(fmt.Appendln(nil, query.Encode(), p.Filter, p.Period, p.Zone))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:markChars]
}

// spell is a cursor as the model sends it back: "period.SHOWN.MARK.AT".
func (p *Reader) spell(r rs.Request, c cursor) string {
	return fmt.Sprintf("%s%d.%s.%s", cursorPrefix, c.shown, p.mark(r), c.at)
}

// from is where a search goes on. It is an error where its cursor is of another.
func (p *Reader) from(r rs.Request) (cursor, error) {
	text := r.Query.Get("cursor")
	if text == "" {
		return cursor{}, nil
	}
	parts := strings.SplitN(text, ".", 4)
	if len(parts) == 4 {
		shown, err := strconv.Atoi(parts[1])
		_, timeErr := rs.ReadTime(parts[3])
		c := cursor{shown, parts[3]}
		if err == nil && shown > 0 && shown < maxHits*maxSources && (c.at == "" || timeErr == nil) && p.spell(r, c) == text {
			return c, nil
		}
	}
	return cursor{}, &rs.Error{
		Code: rs.InvalidCursor, Param: "cursor", Message: "This cursor is not of this search of a time.",
		Hint: "Send it with the same other arguments as the answer printed it, or search again without cursor.",
	}
}
