package browse

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

const mostBars = 240 // months without records among them

// A bar is the count of one month, or year.
type bar struct {
	label, link string
	count       int
}

func (b bar) shown() string { return grouped(strconv.Itoa(b.count)) }

// months lists the counts of a stream by time, as aggregate answers it.
func (v *view) months(ctx context.Context) g.Node {
	stream, connection := v.Get("stream"), v.Get("connection")
	v.title = stream + " over time"
	top := g.Group{trail(link("records", "stream", stream, "connection", connection), stream), h.H1(g.Text(v.title))}
	times := v.describe(ctx, stream, connection).times()
	if len(times) == 0 {
		return append(top, v.said(), g.If(v.failure == nil, h.P(g.Text("Its records have no time by which they could be counted."))))
	}
	v.query = v.with("field", cmp.Or(v.Get("field"), times[0]), "by", cmp.Or(v.Get("by"), "month"))
	answer := v.call(ctx, true, "aggregate", given(
		"stream", stream, "metric", "count", "connection_id", connection, "group_by_time", v.Get("field"), "granularity", v.Get("by"),
	)).Object("data")
	bars, without := v.bars(objects(answer, "groups"))
	top = append(top, v.said(), asks(
		"months", []string{"stream", stream, "connection", connection}, h.Class("tools"),
		h.Div(
			h.Class("row"),
			choose("field", "field", "Time", v.Get("field"), times, nil),
			choose("by", "by", "By", v.Get("by"), choices["by"], nil),
			submit("Show"),
		),
	))
	if len(bars) == 0 {
		return append(top, g.If(v.failure == nil, h.P(g.Text("No record has a time in this field."))))
	}
	most := slices.MaxFunc(bars, func(a, b bar) int { return cmp.Compare(a.count, b.count) })
	said := fmt.Sprintf("%s records. From %s to %s, most in %s: %s.",
		grouped(answer.Text("filtered_record_count")), bars[0].label, bars[len(bars)-1].label, most.label, most.shown())
	if later, _ := answer.Number("other_count"); later > 0 {
		said += " " + grouped(strconv.Itoa(later)) + " records are later than what is shown: choose years to see all."
	}
	if without > 0 {
		bars = append(bars, bar{label: "without a time", count: without})
	}
	return append(top, h.P(g.Text(said)), v.countTable(bars, most.count))
}

// bars are one for each group, and for months without records between two; without is the count of records without a time.
func (v *view) bars(groups []rs.Object) (bars []bar, without int) {
	months, layout := 1, "Jan 2006"
	if v.Get("by") == "year" {
		months, layout = 12, "2006"
	}
	var ahead time.Time // the beginning of the group after the last bar
	for _, group := range groups {
		day, err := time.Parse(time.DateOnly, group.Text("key"))
		if err != nil {
			without, _ = group.Number("count")
			continue
		}
		for len(bars) > 0 && ahead.Before(day) {
			if len(bars) >= mostBars {
				v.notes = append(v.notes, "The table leaves months without records out before "+day.Format(layout)+": there are too many.")
				break
			}
			bars = append(bars, bar{label: ahead.Format(layout)})
			ahead = ahead.AddDate(0, months, 0)
		}
		ahead = day.AddDate(0, months, 0)
		records := query{View: "records", Filters: []filter{
			{v.Get("field"), "gte", day.Format(time.DateOnly)}, {v.Get("field"), "lt", ahead.Format(time.DateOnly)},
		}}
		one := bar{label: day.Format(layout), link: records.with("stream", v.Get("stream"), "connection", v.Get("connection")).link()}
		one.count, _ = group.Number("count")
		bars = append(bars, one)
	}
	return bars, without
}

// countTable has a line for each bar, with a link to its records and the part that its count is of the most.
func (v *view) countTable(bars []bar, most int) g.Node {
	by := v.Get("by")
	columns := []string{strings.ToUpper(by[:1]) + by[1:], "", "Records", "number"}
	return table("counts", "counts-title", g.Group{g.Text(v.Get("stream") + " by " + by)}, columns, g.Map(bars, func(b bar) g.Node {
		part := h.Meter(h.Aria("hidden", "true"), h.Max(strconv.Itoa(most)), h.Value(strconv.Itoa(b.count)))
		return page.Row(b.link, b.label, h.Td(h.Class("number"), g.Text(b.shown()), part))
	}))
}
