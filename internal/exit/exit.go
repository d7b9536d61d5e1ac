// Package exit has the error that ends a command with an exit code.
package exit

import "errors"

// Exit codes, as sysexits.h has them.
const (
	Usage       = 64 // the command line is wrong
	Data        = 65 // a client's configuration is not what it should be
	Unavailable = 69 // the provider is out of reach
	CannotWrite = 73 // a client's configuration, a credential or the folder of indexes cannot be written
	Owner       = 77 // an owner credential was found
	NotReady    = 78 // no grant can be used, or the index file is not ours
)

// An Error ends a command with an exit code. Its message says what to do, and never contains a credential.
type Error struct {
	Code    int
	Message string
	Cause   string // what the network reported, for the person at the terminal; a model must not see it. May be empty
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Cause != "" {
		return e.Message + " The cause is: " + e.Cause + "."
	}
	return e.Message
}

// UsageError returns the error for a command line that is wrong, or that names something wrong.
func UsageError(message string) error { return &Error{Code: Usage, Message: message} }

// NotReadyError returns the error for a grant or an index file that cannot be used.
func NotReadyError(message string) *Error { return &Error{Code: NotReady, Message: message} }

// CodeOf returns the exit code of an error; 0 if it has none.
func CodeOf(err error) int {
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Code
	}
	return 0
}
