package browse

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	plotHeight = 170 // of the highest bar, in pixels
	mostLabels = 4   // below the bars: as many as a telephone shows
	mostBars   = 240 // months without records among them
)

type monthsView struct {
	common
	Back           string
	Times          []field
	Bars           []bar
	Ticks          []string // of the scale, from above
	Total, Summary string
	Without        string // records without a time
	Later          string // records after the last group
}

// A bar is the count of one month, or year: X, Width and Mid in percent, Y and Height in pixels.
type bar struct {
	Label, Link   string
	Count         int
	Shown         string // the count
	X, Width, Mid float64
	Y, Height     int
	Axis          string // the label if the axis shows it
}

// months plots the counts of a stream by time, as aggregate answers it.
func (p *Pages) months(ctx context.Context, q query) any {
	stream, connection := q.Get("stream"), q.Get("connection")
	v := &monthsView{
		common: common{query: q, Title: stream + " over time"}, Back: link("records", "stream", stream, "connection", connection),
	}
	if v.Times = p.describe(ctx, &v.common, stream, connection).times(); v.Failure != nil || len(v.Times) == 0 {
		return v
	}
	v.query = q.with("field", cmp.Or(q.Get("field"), v.Times[0].Name), "by", cmp.Or(q.Get("by"), "month"))
	answer := p.ask(ctx, &v.common, true, "aggregate", aggregateArguments{
		Stream: stream, Metric: "count", Connection: connection, Time: v.Get("field"), Granularity: v.Get("by"),
	}).Object("data")
	v.Total = answer.Text("filtered_record_count")
	if later, _ := answer.Number("other_count"); later > 0 {
		v.Later = strconv.Itoa(later)
	}
	v.fill(objects(answer, "groups"))
	v.draw()
	return v
}

// fill makes a bar of each group, and of months without records between two.
func (v *monthsView) fill(groups []rs.Object) {
	months, layout := 1, "Jan 2006"
	if v.Get("by") == "year" {
		months, layout = 12, "2006"
	}
	var ahead time.Time // the beginning of the group after the last bar
	for _, group := range groups {
		day, err := time.Parse(time.DateOnly, group.Text("key"))
		if err != nil {
			v.Without = group.Text("count")
			continue
		}
		for len(v.Bars) > 0 && ahead.Before(day) {
			if len(v.Bars) >= mostBars {
				v.Notes = append(v.Notes, "The plot leaves months without records out before "+day.Format(layout)+": there are too many.")
				break
			}
			v.Bars = append(v.Bars, bar{Label: ahead.Format(layout), Shown: "0"})
			ahead = ahead.AddDate(0, months, 0)
		}
		ahead = day.AddDate(0, months, 0)
		records := query{View: "records", Filters: []filter{
			{v.Get("field"), "gte", day.Format(time.DateOnly)}, {v.Get("field"), "lt", ahead.Format(time.DateOnly)},
		}}
		one := bar{
			Label: day.Format(layout), Shown: grouped(group.Text("count")),
			Link: records.with("stream", v.Get("stream"), "connection", v.Get("connection")).link(),
		}
		one.Count, _ = group.Number("count")
		v.Bars = append(v.Bars, one)
	}
}

// draw gives the bars their places.
func (v *monthsView) draw() {
	most := 0
	for _, b := range v.Bars {
		if b.Count > most {
			most = b.Count
			v.Summary = fmt.Sprintf("From %s to %s, most in %s: %s.", v.Bars[0].Label, v.Bars[len(v.Bars)-1].Label, b.Label, b.Shown)
		}
	}
	scale := scaleOf(most)
	v.Ticks = []string{grouped(strconv.Itoa(scale)), grouped(strconv.Itoa(scale / 2)), "0"}
	width := 100 / float64(max(len(v.Bars), 1))
	every := (len(v.Bars) + mostLabels - 1) / mostLabels
	for i := range v.Bars {
		b := &v.Bars[i]
		left := width * float64(i)
		b.X, b.Width, b.Mid = left+width*0.1, width*0.8, left+width/2
		b.Height = max(b.Count*plotHeight/scale, min(b.Count, 1))
		if b.Y = plotHeight - b.Height; i%every == 0 {
			b.Axis = b.Label
		}
	}
}

// scaleOf is the least round even number that is not below a count: 2, 4, 10, 20, 40, 100 and so on.
func scaleOf(most int) int {
	for scale := 2; ; scale *= 10 {
		for _, times := range []int{1, 2, 3, 4} {
			if scale*times >= most {
				return scale * times
			}
		}
	}
}
