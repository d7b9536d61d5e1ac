package rs

import (
	"errors"
	"net/http"
)

// RefusesToken reports whether the error of a read may mean that the token is no longer good, and returns its code: a 401 (D7), or
// a 403 that says that the grant is dead (D25). A 401 also stands for a stream that is not granted, so only the token authority
// can tell.
func RefusesToken(err error) (Code, bool) {
	var refused *Error
	if !errors.As(err, &refused) {
		return "", false
	}
	switch refused.Status {
	case http.StatusUnauthorized:
		return refused.Code, true
	case http.StatusForbidden:
		switch refused.Code {
		case "grant_revoked", GrantExpired, "grant_invalid", PackageRevoked, "context.active_false":
			return refused.Code, true
		}
	}
	return "", false
}
