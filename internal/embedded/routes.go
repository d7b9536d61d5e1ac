package embedded

import (
	"slices"
	"strings"
)

// A route is one read: the path under /v1, with * for any segment, and what it may be asked.
type route struct {
	path   string
	params routeParams
	answer func(*call) any
}

func (r route) matches(path []string) bool {
	return slices.EqualFunc(strings.Split(r.path, "/"), path, func(pattern, segment string) bool {
		return pattern == segment || pattern == "*" && segment != ""
	})
}

func routes(embeddings bool) []route {
	scoped := func(names ...string) []string { // what chooses connections, on every read
		return append(names, "connection_id", "connector_instance_id", "connector_id")
	}
	search := routeParams{single: scoped("q", "limit", "cursor"), lists: []string{"streams"}, filter: true}
	nearest := search
	nearest.lenient = !embeddings // refused whatever it is asked
	return []route{
		{"schema", routeParams{single: scoped("view", "detail", "stream")}, (*call).schema},
		{"streams", routeParams{single: scoped()}, (*call).streams},
		{"streams/*", routeParams{single: scoped()}, (*call).stream},
		{"streams/*/records", routeParams{
			single: scoped("limit", "cursor", "order", "sort", "count", "view", "changes_since"),
			lists:  []string{"fields", "expand"}, filter: true, expand: true,
		}, (*call).records},
		{"streams/*/records/*", routeParams{single: scoped("view"), lists: []string{"fields", "expand"}, expand: true}, (*call).record},
		{"streams/*/records/*/field-window", routeParams{
			single: scoped("field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars"), lenient: true,
		}, (*call).fieldWindow},
		{"streams/*/aggregate", routeParams{
			single: scoped("metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"), filter: true,
		}, (*call).aggregate},
		{"search", search, (*call).search},
		{"search/semantic", nearest, (*call).semantic},
		{"search/hybrid", nearest, (*call).hybrid},
		{"blobs/*", routeParams{single: scoped()}, (*call).blob},
	}
}
