package middleware

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Log writes one line per call: what was called, how it ended, how long it took, how much was read. It never writes a
// token, an argument or a record; the cause of an error only where it is the network's.
func Log(log zerolog.Logger, now func() time.Time) Middleware {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
			start := now()
			reply, err := next(ctx, call)

			event, code, requestID := log.Info(), "ok", ""
			if reply.Response != nil {
				requestID = reply.Response.RequestID
				event = event.Int("rs_bytes", len(reply.Response.Body))
			}
			if err != nil {
				typed := rs.AsError(err)
				code, requestID = string(typed.Code), typed.RequestID
				if typed.Status != 0 {
					event = event.Int("rs_status", typed.Status)
				}
				switch typed.Code {
				case rs.ServerUnreachable, rs.ServerNameUnknown, rs.ServerCertificateRefused, rs.AuthorityUnreachable, rs.ResponseTruncated, rs.ResponseUndecodable, rs.DeadlineExceeded:
					event = event.Str("cause", networkCause(typed.Cause))
				}
			}
			event.Str("tool", call.Tool.Name).
				Bool("resource", call.URI != "").
				Str("code", code).
				Str("rs_request_id", requestID).
				Float64("ms", float64(now().Sub(start).Microseconds())/1000).
				Msg("call")
			return reply, err
		}
	}
}

// networkCause says what the network reported. Of any other error only its type is told, because it may quote what a
// server sent.
func networkCause(err error) string {
	var connection *net.OpError
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &connection):
		return connection.Error()
	case errors.As(err, &name):
		return name.Error()
	case errors.As(err, &certificate):
		return certificate.Error()
	}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return fmt.Sprintf("%T", err)
}
