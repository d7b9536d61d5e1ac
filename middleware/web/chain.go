package web

import (
	"github.com/justinas/alice"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"
)

// DefaultMaxBodyBytes bounds a request body: an MCP request is a few hundred bytes, and a long one a few thousand.
const DefaultMaxBodyBytes = 1 << 20

// ChainOptions configure the chains.
type ChainOptions struct {
	Authenticator Authenticator
	Public        Public   // under which names this server is reached
	Origins       []string // browser origins that may call, such as https://app.example; usually none
	MaxBodyBytes  int64    // 0 means DefaultMaxBodyBytes
	Limiter       *Limiter // nil means one with DefaultLimits
	Logger        zerolog.Logger
	Tracer        trace.Tracer    // nil makes no spans
	Observer      RequestObserver // nil counts nothing
}

// AuthenticatedChain is what an HTTP request passes before the pipeline. Together with [PublicChain] it is the whole policy
// of who may enter:
//
//	CloseUnread(Record(TraceHTTP(MeasureHTTP(AccessLog(RecoverHTTP(Framing(Host(CORS(Origin(BodyLimit(ClientAddress(Bearer(TokenRate(ConcurrencyLimit(pipeline)))))))))))))))
func AuthenticatedChain(o ChainOptions) alice.Chain {
	if o.MaxBodyBytes <= 0 {
		o.MaxBodyBytes = DefaultMaxBodyBytes
	}
	if o.Limiter == nil {
		o.Limiter = NewLimiter(DefaultLimits(), nil)
	}
	return PublicChain(o).Append(
		BodyLimit(o.MaxBodyBytes),                                   // more is 413
		ClientAddress(o.Public),                                     // as far as it can be trusted
		Bearer(refusedTokens{o.Authenticator, o.Limiter}, o.Public), // exactly one good client bearer, else 401, 403, 429 or 503
		TokenRate(o.Limiter),                                        // faster is 429
		ConcurrencyLimit(o.Limiter),                                 // more at a time wait a moment, then 429
	)
}

// PublicChain is what a request for a public document passes: no bearer is asked for.
func PublicChain(o ChainOptions) alice.Chain {
	return BaseChain(o).Append(
		Host(o.Public),              // a name that is not ours is 421
		CORS(o.Origins),             // answers a listed browser's preflight
		Origin(o.Origins, o.Public), // any other browser is 403
	)
}

// BaseChain is what the probes of a load balancer pass: those name an address of the
// machine, not a public name, and learn nothing but whether the server is up.
func BaseChain(o ChainOptions) alice.Chain {
	return alice.New(
		CloseUnread,             // an answer before the body is read ends the connection
		Record(o.Public),        // one id, and one record of the request for all that follows
		TraceHTTP(o.Tracer),     // one span per request, in the client's trace if it names one
		MeasureHTTP(o.Observer), // one request in the metrics
		AccessLog(o.Logger),     // one line per request; never a token, never a query
		RecoverHTTP(o.Logger),   // a panic is a 500 with a body
		Framing,                 // two lengths are 400
	)
}
