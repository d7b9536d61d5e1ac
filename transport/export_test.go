package transport

// What the tests of this folder use.
const (
	DefaultHealthTimeout = defaultHealthTimeout
	MaxCallsUnderWay     = maxCallsUnderWay
)
