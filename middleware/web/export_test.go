package web

// The middlewares that tests try one by one.
var (
	AccessLog        = accessLog
	BodyLimit        = bodyLimit
	ClientAddress    = clientAddress
	CloseUnread      = closeUnread
	ConcurrencyLimit = concurrencyLimit
	Host             = host
	Record           = record
	RecoverHTTP      = recoverHTTP
	TokenRate        = tokenRate
	TraceHTTP        = traceHTTP
)
