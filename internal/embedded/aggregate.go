package embedded

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // group_by_time knows every zone, wherever the program runs

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// Group limits of an aggregation.
const (
	defaultGroups = 10
	maxGroups     = 100
)

type aggregateBody struct {
	Approximate         bool         `json:"approximate"`
	Field               *string      `json:"field"`
	FilteredRecordCount int          `json:"filtered_record_count"`
	Granularity         *string      `json:"granularity"`
	GroupBy             *string      `json:"group_by"`
	GroupByTime         *string      `json:"group_by_time"`
	Metric              string       `json:"metric"`
	Object              string       `json:"object"`
	Stream              string       `json:"stream"`
	TimeZone            *string      `json:"time_zone"`
	Value               *valueBody   `json:"value,omitempty"`
	Groups              *[]groupBody `json:"groups,omitempty"`
	Limit               *int         `json:"limit,omitempty"`
	OtherCount          *int         `json:"other_count,omitempty"`
	Links               *selfLink    `json:"links"`
	Meta                *metaBody    `json:"meta"`
}

// A valueBody is a value that may be null and is there all the same.
type valueBody struct{ value any }

// MarshalJSON writes the value itself.
func (v valueBody) MarshalJSON() ([]byte, error) { return json.Marshal(v.value) }

type groupBody struct {
	Count int `json:"count"`
	Key   any `json:"key"`
}

// An aggregatePlan is an aggregation, checked.
type aggregatePlan struct {
	metric, field, groupBy, groupByTime, granularity string
	zone                                             *time.Location
	limit                                            int
	sources                                          []store.Source
}

// aggregate answers GET /v1/streams/{stream}/aggregate, over all granted connections when none is named.
func (c *call) aggregate() (any, error) {
	sources, refusal := c.open(c.path[1])
	if refusal != nil {
		return nil, refusal
	}
	plan, refusal := c.aggregatePlan()
	if refusal != nil {
		return nil, refusal
	}
	kept, refusal := keepUsable(sources, plan.usable)
	if refusal != nil {
		return nil, refusal
	}
	c.warnLeftOut(sources, kept, "aggregation")
	if kept, refusal = c.filtered(kept); refusal != nil {
		return nil, refusal
	}
	plan.sources = storeSources(kept)
	body := aggregateBody{
		Field: optional(plan.field), Granularity: optional(plan.granularity), GroupBy: optional(plan.groupBy),
		GroupByTime: optional(plan.groupByTime), Metric: plan.metric, Object: "aggregation", Stream: c.path[1],
	}
	for _, from := range plan.sources {
		n, err := c.store.Count(c.ctx, from)
		if err != nil {
			return nil, err
		}
		body.FilteredRecordCount += n
	}
	if body.FilteredRecordCount == 0 {
		c.warnUnread(kept)
	}
	if err := c.fillAggregate(&body, plan); err != nil {
		return nil, err
	}
	body.Links, body.Meta = c.self(), c.meta()
	return body, nil
}

func (c *call) fillAggregate(body *aggregateBody, plan aggregatePlan) error {
	if plan.groupBy == "" && plan.groupByTime == "" {
		value, err := c.aggregateValue(plan, body.FilteredRecordCount)
		body.Value = &valueBody{value}
		return err
	}
	groups, err := c.groups(plan)
	if err != nil {
		return err
	}
	other := 0
	for _, group := range groups[min(len(groups), plan.limit):] {
		other += group.Count
	}
	groups = groups[:min(len(groups), plan.limit)]
	body.Groups, body.Limit, body.OtherCount = &groups, &plan.limit, &other
	if plan.groupByTime != "" {
		body.TimeZone = optional(plan.zone.String())
	}
	return nil
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// granularities are the spans that group_by_time counts by.
var granularities = [...]string{"hour", "day", "week", "month", "quarter", "year"}

// metrics are what an aggregation may compute.
var metrics = [...]string{"count", "sum", "min", "max", "count_distinct"}

func (c *call) aggregatePlan() (aggregatePlan, *apiError) {
	p := c.params.single
	plan := aggregatePlan{
		metric: p["metric"], field: p["field"], groupBy: p["group_by"], groupByTime: p["group_by_time"], granularity: p["granularity"],
		zone: time.UTC,
	}
	if !slices.Contains(metrics[:], plan.metric) {
		return plan, invalidRequest("metric must be one of %s", strings.Join(metrics[:], ", "))
	}
	grouped := plan.groupBy != "" || plan.groupByTime != ""
	switch {
	case plan.groupBy != "" && plan.groupByTime != "":
		return plan, invalidRequest("Send group_by or group_by_time, not both").withParam("group_by_time")
	case grouped && plan.metric != "count":
		return plan, invalidRequest("group_by and group_by_time are supported with metric=count only").withParam("metric")
	case plan.metric == "count" && plan.field != "":
		return plan, invalidRequest("field is not used with metric=count").withParam("field")
	case plan.metric != "count" && plan.field == "":
		return plan, invalidRequest("field is required with metric=%s", plan.metric).withParam("field")
	}
	if err := plan.readTime(p["time_zone"]); err != nil {
		return plan, err
	}
	var clamped *warning
	var err *apiError
	plan.limit, clamped, err = c.params.number("limit", defaultGroups, 1, maxGroups)
	c.warn(clamped)
	return plan, err
}

func (p *aggregatePlan) readTime(zone string) *apiError {
	if p.groupByTime == "" {
		if p.granularity != "" || zone != "" {
			return invalidRequest("granularity and time_zone need group_by_time").withParam("group_by_time")
		}
		return nil
	}
	if p.granularity == "" {
		return invalidRequest("granularity is required when group_by_time is present")
	}
	if !slices.Contains(granularities[:], p.granularity) {
		return invalidRequest("granularity must be one of %s", strings.Join(granularities[:], ", ")).withParam("granularity")
	}
	if zone == "" {
		return nil
	}
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" { // a client must not learn the server's own zone
		return invalidRequest("time_zone %q is not an IANA time zone", zone).withParam("time_zone")
	}
	p.zone = location
	return nil
}

// usable refuses an aggregation that a source's stream does not declare, or whose field is not granted.
func (p aggregatePlan) usable(s access) *apiError {
	for _, use := range [...]struct{ kind, field string }{{p.metric, p.field}, {"group_by", p.groupBy}, {"group_by_time", p.groupByTime}} {
		if use.field == "" {
			continue
		}
		field, err := s.demand(use.field)
		if err != nil {
			return err
		}
		target, comparable := s.Column(use.field)
		if !comparable || !slices.Contains(field.Aggregations, use.kind) || use.kind == "group_by_time" && target.Kind != store.KindInstant {
			return invalidRequest("Aggregation %s is not declared for '%s'", use.kind, use.field)
		}
	}
	return nil
}

// aggregateValue computes a metric without groups.
func (c *call) aggregateValue(plan aggregatePlan, records int) (any, error) {
	switch plan.metric {
	case "count":
		return records, nil
	case "sum":
		return c.store.Sum(c.ctx, plan.sources, plan.field)
	case "count_distinct":
		distinct, err := c.store.Values(c.ctx, plan.sources, plan.field)
		delete(distinct, nil) // a missing value is not a value
		return len(distinct), err
	}
	return c.store.Extreme(c.ctx, plan.sources, plan.field, plan.metric == "max")
}

// groups counts by value, the most frequent first, or by span of time, the earliest first. Records without a value
// are a group of their own, with the key null.
func (c *call) groups(plan aggregatePlan) ([]groupBody, error) {
	if plan.groupByTime != "" {
		return c.timeGroups(plan)
	}
	counts, err := c.store.Values(c.ctx, plan.sources, plan.groupBy)
	if err != nil {
		return nil, err
	}
	values := slices.SortedFunc(maps.Keys(counts), func(a, b any) int {
		if counts[a] != counts[b] {
			return cmp.Compare(counts[b], counts[a])
		}
		return store.CompareValues(a, b)
	})
	target, _ := plan.sources[0].Column(plan.groupBy) // the plan has found it
	groups := make([]groupBody, len(values))
	for i, value := range values {
		groups[i] = groupBody{Count: counts[value], Key: target.Kind.Wire(value)}
	}
	return groups, nil
}

func (c *call) timeGroups(plan aggregatePlan) ([]groupBody, error) {
	counts, err := c.store.Values(c.ctx, plan.sources, plan.groupByTime)
	if err != nil {
		return nil, err
	}
	buckets := map[string]int{}
	missing := 0
	for value, count := range counts {
		if micros, ok := value.(int64); ok {
			buckets[bucketOf(time.UnixMicro(micros).In(plan.zone), plan.granularity)] += count
		} else {
			missing += count
		}
	}
	groups := make([]groupBody, 0, len(buckets)+1)
	for _, key := range slices.Sorted(maps.Keys(buckets)) {
		groups = append(groups, groupBody{Count: buckets[key], Key: key})
	}
	if missing > 0 {
		groups = append(groups, groupBody{Count: missing, Key: nil})
	}
	return groups, nil
}

// bucketOf names the span that an instant falls into by its first day, or its hour with the zone's offset. Weeks
// start on Monday.
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
