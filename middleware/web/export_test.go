package web

// The middlewares that tests try one by one.
var (
	BodyLimit   = bodyLimit
	CloseUnread = closeUnread
	Guard       = guard
	Limit       = limit
	Observe     = observe
)
