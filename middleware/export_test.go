package middleware

// The stages, exported for the tests of this folder.
var (
	Admit      = admit
	Chain      = chain
	Correct    = correctCall
	GateExpand = gateExpand
	Render     = renderResult
	Observe    = observeCall
	Validate   = validate
)

// Middleware is one stage.
type Middleware = middleware
