package embedded

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // group_by_time supports every zone, also on systems without zone files

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// Group limits of an aggregation.
const (
	defaultGroups = 10
	maxGroups     = 100
)

type aggregatePlan struct {
	metric, field, groupBy, groupByTime, granularity string
	zone                                             *time.Location
	limit                                            int
	kind                                             store.Kind // of the field, in all sources
	sources                                          []store.Source
}

// aggregate answers GET /v1/streams/{stream}/aggregate, over all granted connections when none is named.
func (c *call) aggregate() any {
	sources := c.open()
	plan := c.aggregatePlan()
	kept := c.filtered(c.usable(sources, "aggregation", plan.narrow))
	if c.err != nil {
		return nil
	}
	plan.sources = storeSources(kept)
	records := 0
	for _, from := range kept {
		records += c.extent(from).Count
	}
	if records == 0 {
		c.warnUnread(kept, maxUnread)
	}
	body := object{
		{"approximate", false}, {"field", nullable(plan.field)}, {"filtered_record_count", records}, {"granularity", nullable(plan.granularity)},
		{"group_by", nullable(plan.groupBy)}, {"group_by_time", nullable(plan.groupByTime)}, {"metric", plan.metric}, {"object", "aggregation"},
		{"stream", c.path[1]}, {"time_zone", nil}, {"links", c.self()}, {"meta", c.meta()},
	}
	var groups []group
	switch {
	case plan.groupBy != "":
		groups = c.groups(plan)
	case plan.groupByTime != "":
		groups = c.timeGroups(plan)
		body.set("time_zone", plan.zone.String())
	default:
		body.set("value", c.aggregateValue(plan, records))
		return body
	}
	shown, other := min(len(groups), plan.limit), 0
	for _, group := range groups[shown:] {
		other += group.Count
	}
	return append(body, object{{"groups", groups[:shown]}, {"limit", plan.limit}, {"other_count", other}}...)
}

// A group counts the records of one value, or of one span of time.
type group struct {
	Count int `json:"count"`
	Key   any `json:"key"`
}

var granularities = [...]string{"hour", "day", "week", "month", "quarter", "year"}

var metrics = [...]string{"count", "sum", "min", "max", "count_distinct"}

func (c *call) aggregatePlan() aggregatePlan {
	p := c.params.single
	plan := aggregatePlan{
		metric: p["metric"], field: p["field"], groupBy: p["group_by"], groupByTime: p["group_by_time"], granularity: p["granularity"],
		zone: time.UTC, limit: c.number("limit", defaultGroups, 1, maxGroups),
	}
	grouped := plan.groupBy != "" || plan.groupByTime != ""
	switch {
	case !slices.Contains(metrics[:], plan.metric):
		c.refuse(invalidRequest("metric must be one of %s", strings.Join(metrics[:], ", ")))
	case plan.groupBy != "" && plan.groupByTime != "":
		c.refuse(invalidRequest("Send group_by or group_by_time, not both").withParam("group_by_time"))
	case grouped && plan.metric != "count":
		c.refuse(invalidRequest("group_by and group_by_time are supported with metric=count only").withParam("metric"))
	case plan.metric == "count" && plan.field != "":
		c.refuse(invalidRequest("field is not used with metric=count").withParam("field"))
	case plan.metric != "count" && plan.field == "":
		c.refuse(invalidRequest("field is required with metric=%s", plan.metric).withParam("field"))
	case plan.groupByTime == "" && (plan.granularity != "" || p["time_zone"] != ""):
		c.refuse(invalidRequest("granularity and time_zone need group_by_time").withParam("group_by_time"))
	case plan.groupByTime != "" && plan.granularity == "":
		c.refuse(invalidRequest("granularity is required when group_by_time is present"))
	case plan.groupByTime != "" && !slices.Contains(granularities[:], plan.granularity):
		c.refuse(invalidRequest("granularity must be one of %s", strings.Join(granularities[:], ", ")).withParam("granularity"))
	}
	if zone := p["time_zone"]; zone != "" {
		location, err := time.LoadLocation(zone)
		if err != nil || zone == "Local" { // a client must not learn the server's own zone
			c.refuse(invalidRequest("time_zone %q is not an IANA time zone", zone).withParam("time_zone"))
		}
		plan.zone = location
	}
	return plan
}

// narrow returns a source, or an error if its values cannot be taken together with those of the sources before.
func (p *aggregatePlan) narrow(s access) (access, *apiError) {
	refusal := p.refuses(s)
	if column, ok := s.Column(cmp.Or(p.field, p.groupBy)); ok && refusal == nil {
		if p.kind = cmp.Or(p.kind, column.Kind); p.kind != column.Kind {
			refusal = invalidRequest("'%s' is of another type elsewhere", cmp.Or(p.field, p.groupBy))
		}
	}
	return s, refusal
}

// refuses returns an error if the stream of a source does not declare an aggregation of the plan, or if its field is not granted.
func (p *aggregatePlan) refuses(s access) *apiError {
	for _, use := range [...]struct{ kind, field string }{{p.metric, p.field}, {"group_by", p.groupBy}, {"group_by_time", p.groupByTime}} {
		if use.field == "" {
			continue
		}
		field, refusal := s.demand(use.field)
		if refusal != nil {
			return refusal
		}
		if !slices.Contains(usesOf(field, false).aggregations, use.kind) {
			return invalidRequest("Aggregation %s is not declared for '%s', which is of type %s", use.kind, use.field, field.Type)
		}
	}
	return nil
}

func (c *call) aggregateValue(plan aggregatePlan, records int) (value any) {
	var err error
	switch plan.metric {
	case "count":
		return records
	case "sum":
		value, err = c.store.Sum(c.ctx, plan.sources, plan.field)
	case "count_distinct":
		groups := c.groupsOf(plan.sources, plan.field)
		return len(slices.DeleteFunc(groups, func(g store.Group) bool { return g.Value == nil })) // records without a value do not count
	default:
		value, err = c.store.Extreme(c.ctx, plan.sources, plan.field, plan.metric == "max")
	}
	c.fail(err)
	return value
}

func (c *call) groupsOf(sources []store.Source, field string) []store.Group {
	groups, err := c.store.Groups(c.ctx, sources, field)
	c.fail(err)
	return groups
}

// groups counts by value, the most frequent first. Records without a value form a group with the key null.
func (c *call) groups(plan aggregatePlan) []group {
	groups := []group{}
	for _, g := range c.groupsOf(plan.sources, plan.groupBy) {
		groups = append(groups, group{g.Count, plan.kind.Wire(g.Value)})
	}
	return groups
}

// timeGroups counts by span of time, the earliest first. Records without a time form the last group, with the key null.
func (c *call) timeGroups(plan aggregatePlan) []group {
	buckets, missing := map[string]int{}, 0
	for _, g := range c.groupsOf(plan.sources, plan.groupByTime) {
		if micros, ok := g.Value.(int64); ok {
			buckets[bucketOf(time.UnixMicro(micros).In(plan.zone), plan.granularity)] += g.Count
		} else {
			missing += g.Count
		}
	}
	if plan.zone != time.UTC {
		unmoved, err := c.store.Unmoved(c.ctx, plan.sources, plan.groupByTime)
		c.fail(err)
		for _, g := range unmoved { // these were counted as times in UTC above
			micros, ok := g.Value.(int64)
			if !ok {
				continue // no time
			}
			at := time.UnixMicro(micros).UTC()
			buckets[bucketOf(at.In(plan.zone), plan.granularity)] -= g.Count
			if plan.granularity == "hour" {
				at = hourReading(at, plan.zone)
			}
			buckets[bucketOf(at, plan.granularity)] += g.Count
		}
		maps.DeleteFunc(buckets, func(_ string, n int) bool { return n == 0 })
	}
	groups := []group{}
	// Compare instants, not texts: the two hours that a clock change repeats differ in their offset only.
	began := func(key string) time.Time { at, _ := model.ParseInstant(key); return at }
	for _, key := range slices.SortedFunc(maps.Keys(buckets), func(one, other string) int { return began(one).Compare(began(other)) }) {
		groups = append(groups, group{buckets[key], key})
	}
	if missing > 0 {
		groups = append(groups, group{missing, nil})
	}
	return groups
}

// hourReading returns the last hour at which the clock of a zone reads at most what at reads: a clock change may skip midnight, or repeat
// it.
func hourReading(at time.Time, zone *time.Location) time.Time {
	const hour = "2006-01-02T15"
	shown := at.Format(hour)
	at = at.Add(15 * time.Hour).In(zone) // late enough for the zone that is furthest behind UTC
	for at.Format(hour) > shown {
		at = at.Add(-time.Hour)
	}
	return at
}

// bucketOf names the span of an instant by its first day or, for an hour, by its start with the zone's offset. Weeks start on Monday.
func bucketOf(instant time.Time, granularity string) string {
	year, month, day := instant.Date()
	switch granularity {
	case "hour":
		return instant.Format("2006-01-02T15:00:00Z07:00")
	case "week":
		day -= (int(instant.Weekday()) + 6) % 7
	case "month":
		day = 1
	case "quarter":
		month, day = month-(month-1)%3, 1
	case "year":
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}
