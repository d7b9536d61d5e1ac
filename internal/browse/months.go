package browse

import (
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
	Stream, Connection, Back string
	Times                    []field
	Field, By                string
	Bars                     []bar
	ahead                    time.Time // the beginning of the group after the last bar
	Ticks                    []string  // of the scale, from above
	Total, Summary           string
	Without                  string // records without a time
	Later                    string // records after the last group
}

// A bar is the count of one month, or year: X and Width in percent, Y and Height in pixels.
type bar struct {
	Label, Link   string
	Count         int
	Shown         string // the count, and the label if the axis shows it
	X, Width, Mid string
	Y, Height     int
	Axis          string
}

// months plots the counts of a stream by time, as aggregate answers it.
func (p *Pages) months(ctx context.Context, q query) any {
	v := &monthsView{
		common: common{Title: q.get("stream") + " over time", View: "months"}, Stream: q.get("stream"), Connection: q.get("connection"),
		Field: q.get("field"), By: q.get("by"), Back: link("records", "stream", q.get("stream"), "connection", q.get("connection")),
	}
	if v.Times = p.describe(ctx, &v.common, v.Stream, v.Connection).times(); v.Failure != nil || len(v.Times) == 0 {
		return v
	}
	if v.Field == "" {
		v.Field = v.Times[0].Name
	}
	if v.By == "" {
		v.By = "month"
	}
	answer := p.ask(ctx, &v.common, true, "aggregate", aggregateArguments{
		Stream: v.Stream, Metric: "count", Connection: v.Connection, Time: v.Field, Granularity: v.By,
	}).Object("data")
	v.Total = grouped(answer.Text("filtered_record_count"))
	if later, _ := answer.Number("other_count"); later > 0 {
		v.Later = grouped(strconv.Itoa(later))
	}
	for _, raw := range answer.Array("groups") {
		group := rs.AsObject(raw)
		count, _ := group.Number("count")
		day, err := time.Parse(time.DateOnly, group.Text("key"))
		if err != nil {
			v.Without = grouped(strconv.Itoa(count))
			continue
		}
		v.add(day, count)
	}
	v.draw()
	return v
}

// next is the beginning of the group after one.
func (v *monthsView) next(day time.Time) time.Time {
	if v.By == "year" {
		return day.AddDate(1, 0, 0)
	}
	return day.AddDate(0, 1, 0)
}

func (v *monthsView) label(day time.Time) string {
	if v.By == "year" {
		return day.Format("2006")
	}
	return day.Format("Jan 2006")
}

// add adds a group, and those without records before it.
func (v *monthsView) add(day time.Time, count int) {
	if len(v.Bars) > 0 {
		for ; v.ahead.Before(day) && len(v.Bars) < mostBars; v.ahead = v.next(v.ahead) {
			v.Bars = append(v.Bars, bar{Label: v.label(v.ahead)})
		}
		if v.ahead.Before(day) {
			v.Notes = append(v.Notes, "The plot leaves months without records out before "+v.label(day)+": there are too many.")
		}
	}
	v.ahead = v.next(day)
	since, until := day.Format(time.DateOnly), v.ahead.Format(time.DateOnly)
	records := query{view: "records", filters: []filter{{v.Field, "gte", since}, {v.Field, "lt", until}}}
	v.Bars = append(v.Bars, bar{
		Label: v.label(day), Count: count, Shown: grouped(strconv.Itoa(count)),
		Link: records.with("stream", v.Stream, "connection", v.Connection).link(),
	})
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
		b.X, b.Width, b.Mid = percent(left+width*0.1), percent(width*0.8), percent(left+width/2)
		b.Height = b.Count * plotHeight / scale
		if b.Count > 0 && b.Height == 0 {
			b.Height = 1
		}
		if b.Y = plotHeight - b.Height; i%every == 0 {
			b.Axis = b.Label
		}
	}
}

func percent(value float64) string { return strconv.FormatFloat(value, 'f', 3, 64) + "%" }

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
