package embedded

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // group_by_time knows every zone, wherever the program runs
)

// granularities are the spans that group_by_time counts by.
var granularities = [...]string{"hour", "day", "week", "month", "quarter", "year"}

// counted counts the records of each value of a field, over all sources.
func (c *call) counted(plan aggregatePlan, field string) (map[any]int, error) {
	counts := map[any]int{}
	for i, from := range plan.sources {
		target, _ := from.column(field) // the plan has found it
		if err := c.countInto(counts, from, target, plan.conditions[i]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func (c *call) countInto(counts map[any]int, from access, target column, w where) error {
	query := fmt.Sprintf("SELECT %s, count(*) FROM %s WHERE %s GROUP BY 1", target.name, from.name, w)
	return c.server.store.each(c.ctx, query, w.args, func(rows *sql.Rows) error {
		var value any
		var count int
		err := rows.Scan(&value, &count)
		counts[value] += count
		return err
	})
}

// groups counts by value, the most frequent first, or by span of time, the earliest first. Records without a value
// are a group of their own, with the key null.
func (c *call) groups(plan aggregatePlan) ([]groupBody, error) {
	if plan.groupByTime != "" {
		return c.timeGroups(plan)
	}
	counts, err := c.counted(plan, plan.groupBy)
	if err != nil {
		return nil, err
	}
	values := make([]any, 0, len(counts))
	for value := range counts {
		values = append(values, value)
	}
	slices.SortFunc(values, func(a, b any) int {
		if counts[a] != counts[b] {
			return cmp.Compare(counts[b], counts[a])
		}
		return compareValues(a, b)
	})
	target, _ := plan.sources[0].column(plan.groupBy) // the plan has found it
	groups := make([]groupBody, len(values))
	for i, value := range values {
		groups[i] = groupBody{Count: counts[value], Key: target.kind.wire(value)}
	}
	return groups, nil
}

func (c *call) timeGroups(plan aggregatePlan) ([]groupBody, error) {
	counts, err := c.counted(plan, plan.groupByTime)
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
	for key, count := range buckets {
		groups = append(groups, groupBody{Count: count, Key: key})
	}
	slices.SortFunc(groups, func(a, b groupBody) int { return compareValues(a.Key, b.Key) })
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

func less(a, b any) bool { return compareValues(a, b) < 0 }

// compareValues orders column values as SQLite does: null, numbers, text.
func compareValues(a, b any) int {
	if order := cmp.Compare(valueClass(a), valueClass(b)); order != 0 {
		return order
	}
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(float64(a), asFloat(b))
	case float64:
		return cmp.Compare(a, asFloat(b))
	case string:
		text, _ := b.(string) // the same class
		return strings.Compare(a, text)
	}
	return 0
}

func valueClass(value any) int {
	switch value.(type) {
	case nil:
		return 0
	case int64, float64:
		return 1
	}
	return 2
}

func asFloat(value any) float64 {
	if whole, ok := value.(int64); ok {
		return float64(whole)
	}
	fraction, _ := value.(float64)
	return fraction
}
