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
		{
			path:   []string{"schema"},
			params: routeParams{single: scoped("view", "detail", "stream")},
			answer: (*call).schema,
		},
		{
			path:   []string{"streams"},
			params: routeParams{single: scoped()},
			answer: (*call).streams,
		},
		{
			path:   []string{"streams", "*"},
			params: routeParams{single: scoped()},
			answer: (*call).stream,
		},
		{
			path: []string{"streams", "*", "records"},
			params: routeParams{
				single: scoped("limit", "cursor", "order", "sort", "count", "view", "changes_since"),
				lists:  []string{"fields", "expand"}, filter: true, expand: true,
			},
			answer: (*call).records,
		},
		{
			path:   []string{"streams", "*", "records", "*"},
			params: routeParams{single: scoped("view"), lists: []string{"fields", "expand"}, expand: true},
			answer: (*call).record,
		},
		{
			path: []string{"streams", "*", "records", "*", "field-window"},
			params: routeParams{
				single:  scoped("field", "offset_chars", "limit_chars", "q", "before_chars", "after_chars"),
				lenient: true,
			},
			answer: (*call).fieldWindow,
		},
		{
			path: []string{"streams", "*", "aggregate"},
			params: routeParams{
				single: scoped("metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit"), filter: true,
			},
			answer: (*call).aggregate,
		},
		{path: []string{"search"}, params: search, answer: (*call).search},
		{path: []string{"search", "semantic"}, params: nearest, answer: (*call).semantic},
		{path: []string{"search", "hybrid"}, params: nearest, answer: (*call).hybrid},
		{path: []string{"blobs", "*"}, params: routeParams{single: scoped()}, answer: (*call).blob},
	}
}
