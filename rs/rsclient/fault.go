package rsclient

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/url"
	"syscall"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// transportError returns the error for a request that got no answer. Its text contains neither address nor cause; those are for the log.
func transportError(err error) *rs.Error {
	if known, ok := errors.AsType[*rs.Error](err); ok {
		return known
	}
	if urlError, ok := errors.AsType[*url.Error](err); ok {
		err = urlError.Err // a url.Error repeats the URL, and with it the search query
	}
	_, unknownName := errors.AsType[*net.DNSError](err)
	e := &rs.Error{Code: "server_unreachable", Message: "The resource server could not be reached.", Hint: "Retry in a moment; if it persists, tell the operator.", Cause: err}
	switch {
	case errors.Is(err, context.Canceled):
		e.Code, e.Message, e.Hint = "canceled", "The caller hung up before the resource server answered.", ""
	case unknownName && !errors.Is(err, context.DeadlineExceeded):
		e.Code, e.Message = "server_name_unknown", "The resource server's host name could not be resolved."
	case isTimeout(err):
		e.Code, e.Message = "deadline_exceeded", "The resource server did not answer in time."
		e.Hint = "Retry, or ask for less: a smaller limit, fewer fields, one connection."
	case isCertificateError(err):
		e.Code, e.Message = "server_certificate_refused", "The resource server's certificate could not be verified, so nothing was sent to it."
		e.Hint = "Tell the operator; calling again does not help."
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET):
		e.Message = "The resource server closed the connection before it answered."
	}
	return e
}

var errEncoding = errors.New("the body has another content encoding than gzip")

func tooLarge(message string) *rs.Error {
	return &rs.Error{Code: "response_too_large", Message: message, Hint: "Ask for less: a smaller limit, fewer fields, or one connection."}
}

func bodyError(err error, requestID string) *rs.Error {
	if known, ok := errors.AsType[*rs.Error](err); ok {
		known.RequestID = requestID
		return known
	}
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	switch {
	case errors.Is(err, context.Canceled) || isTimeout(err):
		e := transportError(err)
		e.RequestID = requestID
		return e
	case errors.Is(err, errEncoding) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || corrupt:
		return &rs.Error{
			Code: "response_undecodable", RequestID: requestID, Cause: err,
			Message: "The resource server's answer could not be decompressed.",
			Hint:    "Retry once; if it persists, tell the operator. Nothing of the answer was used.",
		}
	}
	return &rs.Error{
		Code: "response_truncated", RequestID: requestID, Cause: err,
		Message: "The resource server's answer broke off before its end.",
		Hint:    "Retry; nothing of the partial answer was used.",
	}
}

func isTimeout(err error) bool {
	failure, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && failure.Timeout()
}

// isCertificateError reports an invalid certificate, which no retry fixes.
func isCertificateError(err error) bool {
	_, is := errors.AsType[*tls.CertificateVerificationError](err) // which wraps the reason
	return is
}

// isConnectError reports a failure to connect, which no request can cause.
func isConnectError(err error) bool {
	_, unknownName := errors.AsType[*net.DNSError](err)
	network, ok := errors.AsType[*net.OpError](err)
	return unknownName || isCertificateError(err) || ok && network.Op == "dial"
}
