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

// An Error is why a command ends. Its message says what to do, and never holds a credential.
type Error struct {
	Code    int
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// UsageError says that the command line, or what it names, is wrong.
func UsageError(message string) error { return &Error{Usage, message} }

// CodeOf is the exit code that an error names, else 0.
func CodeOf(err error) int {
	if failed, ok := errors.AsType[*Error](err); ok {
		return failed.Code
	}
	return 0
}
