package rs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// NetworkCause returns what the network reported about a read that got no complete answer, or why an access was not renewed; "" for any
// other error. It is for logs and for a person at a terminal, because it may contain an address; see [NetworkError].
func (e *Error) NetworkCause() string {
	if e.Cause == nil {
		return ""
	}
	switch e.Code {
	case "server_unreachable", "server_name_unknown", "server_certificate_refused", AuthorityUnreachable, "response_truncated",
		"response_undecodable", "deadline_exceeded", "grant_expired", "credential_not_stored":
		return NetworkError(e.Cause).Error()
	}
	return ""
}

// A LoggableError marks an error whose text quotes nothing that a server sent, and no secret.
type LoggableError struct{ Err error }

func (l LoggableError) Error() string { return strings.ReplaceAll(l.Err.Error(), "\n", "; ") }

// Unwrap returns the error.
func (l LoggableError) Unwrap() error { return l.Err }

// NetworkError returns the network error within err: of a connection, a certificate, TLS or a timeout, or a [LoggableError]. For any other
// error it names only the type, because its text may quote what a server sent, or the password of a proxy. err must not be nil.
func NetworkError(err error) error {
	if loggable, ok := errors.AsType[LoggableError](err); ok {
		return loggable
	}
	if connection, ok := errors.AsType[*net.OpError](err); ok {
		return connection
	}
	if certificate, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return certificate
	}
	for _, known := range []error{http.ErrSchemeMismatch, context.DeadlineExceeded, context.Canceled, io.ErrUnexpectedEOF, io.EOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	return fmt.Errorf("%T", err)
}
