package embedded

import "slices"

// A route is one read: the path under /v1, with * for any segment, and what it may be asked.
type route struct {
	path   []string
	params routeParams
	answer func(*call) (any, error)
}

func (r route) matches(path []string) bool {
	return slices.EqualFunc(r.path, path, func(pattern, segment string) bool {
		return pattern == segment || pattern == "*" && segment != ""
	})
}

// scopeParams choose connections on every read of a stream.
var scopeParams = [...]string{"connection_id", "connector_instance_id", "connector_id"}

func routes(embeddings bool) []route {
	scoped := func(names ...string) []string { return append(names, scopeParams[:]...) }
	search := routeParams{single: scoped("q", "limit", "cursor"), lists: []string{"streams"}, filter: true}
	nearest := search
	nearest.lenient = !embeddings // refused whatever it is asked
	return []route{
		{[]string{"schema"}, routeParams{single: scoped("view", "detail", "stream")}, (*call).schema},
		{[]string{"streams"}, routeParams{single: scoped()}, (*call).streams},
		{[]string{"streams", "*"}, routeParams{single: scoped()}, (*call).stream},
		{[]string{"streams", "*", "records"}, routeParams{
			single: scoped("limit", "cursor", "order", "sort", "count", "view", "changes_since"),
			lists:  []string{"fields", "expand"}, filter: true, expand: true,
		}, (*call).records},
		{[]string{"streams", "*", "records", "*"}, routeParams{
			single: scoped("view"), lists: []string{"fields", "expand"}, expand: true,
		}, (*call).record},
		{[]string{"streams", "*", "records", "*", "field-window"}, routeParams{
			single: scoped("field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars"), lenient: true,
		}, (*call).fieldWindow},
		{[]string{"streams", "*", "aggregate"}, routeParams{
			single: scoped("metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"), filter: true,
		}, (*call).aggregate},
		{[]string{"search"}, search, (*call).search},
		{[]string{"search", "semantic"}, nearest, (*call).semantic},
		{[]string{"search", "hybrid"}, nearest, (*call).hybrid},
		{[]string{"blobs", "*"}, routeParams{single: scoped()}, (*call).blob},
	}
}
