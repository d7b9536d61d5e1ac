package transport

// What the tests of this folder use.
const (
	DefaultHealthTimeout = healthTimeout
	MaxCallsUnderWay     = maxCallsUnderWay
)

// ServerOptions configure NewServer, which makes a server with a pipeline of the test's own.
type ServerOptions = serverOptions

var NewServer = newServer
