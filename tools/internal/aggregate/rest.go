package aggregate

import "context"

// addRest adds how many groups there are beside those of a list with a limit, and how many of them have as many records as its last one. Where
// that is not answered, or where the groups are too many for one read, it is not said.
func (r *Aggregation) addRest(ctx context.Context, list groupList) {
	ctx, cancel := context.WithTimeout(ctx, titlesDeadline)
	defer cancel()
	q := r.Args
	q.Limit = maxGroups
	all, err := r.list(ctx, q)
	if limit, _ := all.body.Number("limit"); err != nil || limit != maxGroups || len(all.groups) < len(list.groups) || len(list.groups) == 0 {
		return
	}
	if len(all.groups) < maxGroups || all.other == 0 {
		r.add("group_count", len(all.groups))
	}
	last, tied := list.groups[len(list.groups)-1].count, 0
	for _, g := range all.groups[len(list.groups):] {
		if g.count == last {
			tied++
		}
	}
	if tied > 0 {
		r.add("tied_groups", tied)
	}
}
