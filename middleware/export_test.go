package middleware

// The stages, for the tests of this folder.
var (
	Admit      = admit
	Chain      = chain
	Correct    = correctCall
	Deadline   = deadline
	GateExpand = gateExpand
	Render     = renderResult
	Observe    = observeCall
	Validate   = validate
)

// Middleware is one stage.
type Middleware = middleware

// UnderWay is how many calls of a request are not released.
func (r *Request) UnderWay() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}
