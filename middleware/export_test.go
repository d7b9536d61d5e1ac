package middleware

// The stages, for the tests of this folder.
var (
	Admit             = admit
	Chain             = chain
	Correct           = correctCall
	Deadline          = deadline
	GateExpand        = gateExpand
	HoldAnswers       = holdAnswers
	Log               = logCall
	Measure           = measure
	Recover           = recoverCall
	Render            = renderResult
	ResolveConnection = resolveConnection
	Trace             = traceCall
	Validate          = validate
)

// Middleware is one stage.
type Middleware = middleware
