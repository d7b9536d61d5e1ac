package browse

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	plotHeight = 170 // of the highest bar, in pixels
	mostLabels = 4   // below the bars: what fits on a phone
	mostBars   = 240 // including those of months without records
)

type bar struct {
	label, link string
	count       int
}

func (b bar) shown() string { return grouped(strconv.Itoa(b.count)) }

// months plots the counts of a stream by time, from a call of aggregate.
func (v *view) months(ctx context.Context) g.Node {
	stream, connection := v.Get("stream"), v.Get("connection")
	v.title = stream + " over time"
	top := g.Group{trail(link("records", "stream", stream, "connection", connection), stream), h.H1(g.Text(v.title))}
	times := v.describe(ctx, stream, connection).times()
	if len(times) == 0 {
		return append(top, v.said(), g.If(v.failure == nil, page.P(g.Text("Its records have no time by which they could be counted."))))
	}
	v.query = v.with("field", cmp.Or(v.Get("field"), times[0]), "by", cmp.Or(v.Get("by"), "month"))
	answer := v.callForData(ctx, "aggregate", arguments(
		"stream", stream, "metric", "count", "connection_id", connection, "group_by_time", v.Get("field"), "granularity", v.Get("by"),
	)).Object("data")
	bars, without := v.bars(objects(answer, "groups"))
	top = append(top, v.said(), asks(
		"months", []string{"stream", stream, "connection", connection}, page.Class("tools"),
		h.Div(
			page.Class("row"),
			choose("field", "field", "Time", v.Get("field"), times, nil),
			choose("by", "by", "By", v.Get("by"), choices["by"], nil),
			submit("Show"),
		),
	))
	if len(bars) == 0 {
		return append(top, g.If(v.failure == nil, page.P(g.Text("No record has a time in this field."))))
	}
	figure, summary := plot(bars)
	said := grouped(answer.Text("filtered_record_count")) + " records. " + summary
	if later, _ := answer.Number("other_count"); later > 0 {
		said += " " + grouped(strconv.Itoa(later)) + " records are later than what is shown: choose years to see all."
	}
	return append(top, page.P(g.Text(said)), figure, v.countTable(bars, without))
}

// bars returns a bar for each group and for each empty month between two; without is the count of records without a time.
func (v *view) bars(groups []rs.Object) (bars []bar, without string) {
	months, layout := 1, "Jan 2006"
	if v.Get("by") == "year" {
		months, layout = 12, "2006"
	}
	var ahead time.Time // the start of the month or year after the last bar
	for _, group := range groups {
		day, err := time.Parse(time.DateOnly, group.Text("key"))
		if err != nil {
			without = group.Text("count")
			continue
		}
		for len(bars) > 0 && ahead.Before(day) {
			if len(bars) >= mostBars {
				v.notes = append(v.notes, "The plot leaves months without records out before "+day.Format(layout)+": there are too many.")
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

// plot draws bars with a scale, and summarizes them in a sentence. bars must not be empty.
func plot(bars []bar) (figure g.Node, summary string) {
	most := 0
	for _, b := range bars {
		if b.count > most {
			most = b.count
			summary = fmt.Sprintf("From %s to %s, most in %s: %s.", bars[0].label, bars[len(bars)-1].label, b.label, b.shown())
		}
	}
	scale := scaleOf(most)
	var ticks, drawn g.Group
	for _, at := range []int{scale, scale / 2, 0} {
		ticks = append(ticks, h.Span(g.Text(grouped(strconv.Itoa(at)))))
	}
	line := func(class, y string) g.Node {
		return g.El("line", page.Class(class), g.Attr("x1", "0"), g.Attr("x2", "100%"), g.Attr("y1", y), g.Attr("y2", y))
	}
	percent := func(name string, bars float64) g.Node {
		return g.Attr(name, fmt.Sprintf("%.3f%%", 100*bars)) // of the width
	}
	width := 1 / float64(len(bars))
	every := (len(bars) + mostLabels - 1) / mostLabels
	for i, b := range bars {
		left, height := width*float64(i), max(b.count*plotHeight/scale, min(b.count, 1))
		drawn = append(drawn,
			g.El("rect",
				page.Class("bar"), percent("x", left+width*0.1), g.Attr("y", strconv.Itoa(plotHeight-height)), percent("width", width*0.8),
				h.Height(strconv.Itoa(height)), g.El("title", g.Text(b.label+": "+strconv.Itoa(b.count))),
			),
			g.If(i%every == 0, g.El("text", percent("x", left+width/2), g.Attr("y", "190"), g.Text(b.label))),
		)
	}
	return h.Figure(
		h.Div(page.Class("scale"), h.Aria("hidden", "true"), ticks),
		h.SVG(
			h.Role("img"), h.Aria("label", "Bars of the counts. "+summary+" The table below has every count."), h.Width("100%"), h.Height("200"),
			line("grid", "0.5"), line("grid", "85"), line("axis", "170"), drawn,
		),
	), summary
}

// countTable returns the counts of a plot as a table, each with a link to its records.
func (v *view) countTable(bars []bar, without string) g.Node {
	by := v.Get("by")
	return h.Details(h.Summary(g.Text("The same as a table")), h.Table(
		page.Class("counts"), h.Caption(g.Text(v.Get("stream")+" by "+by)), page.Columns(strings.ToUpper(by[:1])+by[1:], "", "Records", "number"),
		h.TBody(
			g.Map(bars, func(b bar) g.Node { return page.Row(b.link, b.label, page.Cell("number", b.shown())) }),
			g.If(without != "", page.Row("", "without a time", page.Cell("number", grouped(without)))),
		),
	))
}

// scaleOf returns the top of the scale for a highest count: the least of 2, 4, 6, 8, 10, 20, 30, 40, 60, 80, 100 and so on that fits.
func scaleOf(most int) int {
	for scale := 2; ; scale *= 10 {
		for _, times := range []int{1, 2, 3, 4} {
			if scale*times >= most {
				return scale * times
			}
		}
	}
}
