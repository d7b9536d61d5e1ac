package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
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
	sources                                          []access
	conditions                                       []where
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
	var err error
	if plan.sources, plan.conditions, err = c.filtered(kept); err != nil {
		return nil, err
	}
	body := aggregateBody{
		Field: optional(plan.field), Granularity: optional(plan.granularity), GroupBy: optional(plan.groupBy),
		GroupByTime: optional(plan.groupByTime), Metric: plan.metric, Object: "aggregation", Stream: c.path[1],
	}
	for i, from := range plan.sources {
		n, err := c.server.store.count(c.ctx, from.table, plan.conditions[i])
		if err != nil {
			return nil, err
		}
		body.FilteredRecordCount += n
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
	if err != nil || zone == "Local" { // the server's own zone is nobody's business
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
		target, comparable := s.column(use.field)
		if !comparable || !slices.Contains(field.Aggregations, use.kind) || use.kind == "group_by_time" && target.kind != kindInstant {
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
		return c.sum(plan)
	case "count_distinct":
		distinct, err := c.counted(plan, plan.field)
		delete(distinct, nil) // a missing value is not a value
		return len(distinct), err
	}
	return c.extreme(plan)
}

func (c *call) sum(plan aggregatePlan) (any, error) {
	var whole int64
	var fraction float64
	isWhole := true
	for i, from := range plan.sources {
		target, _ := from.column(plan.field) // usable has found it
		var part any
		err := c.server.store.db.QueryRowContext(c.ctx, fmt.Sprintf("SELECT sum(%s) FROM %s WHERE %s", target.name, from.name, plan.conditions[i]),
			plan.conditions[i].args...).Scan(&part)
		if err != nil {
			return nil, err
		}
		switch number := part.(type) {
		case int64:
			whole += number
		case float64:
			fraction, isWhole = fraction+number, false
		}
	}
	if isWhole {
		return whole, nil
	}
	return fraction + float64(whole), nil
}

// extreme finds the least or greatest value, and answers with it as the record has it.
func (c *call) extreme(plan aggregatePlan) (any, error) {
	var best any
	var data []byte
	for i, from := range plan.sources {
		target, _ := from.column(plan.field) // usable has found it
		order := target.name
		if plan.metric == "max" {
			order += " DESC"
		}
		w := plan.conditions[i].with(where{})
		w.and(target.name + " IS NOT NULL")
		found, err := c.server.store.selectRecords(c.ctx, from.table, w, order, 1)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(found[0].data, &fields); err != nil {
			return nil, err
		}
		value := target.kind.stored(fields[plan.field])
		if best == nil || plan.metric == "max" && less(best, value) || plan.metric == "min" && less(value, best) {
			best, data = value, fields[plan.field]
		}
	}
	if data == nil {
		return nil, nil
	}
	return json.RawMessage(data), nil
}
