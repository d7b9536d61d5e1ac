package rs_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestRefusesToken(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want bool
	}{
		{"D7 a 401 may mean that the token is dead", &rs.Error{Code: "context.stream_not_allowed", Status: 401}, true},
		{"a wrapped 401 may, too", fmt.Errorf("member: %w", &rs.Error{Status: 401}), true},
		{"D7 any other 403 does not", &rs.Error{Code: "field_not_granted", Status: 403}, false},
		{"D25 a 403 that says the grant is revoked may", &rs.Error{Code: "grant_revoked", Status: 403}, true},
		{"D25 or expired", &rs.Error{Code: "grant_expired", Status: 403}, true},
		{"D25 or invalid", &rs.Error{Code: "grant_invalid", Status: 403}, true},
		{"such a code with another status does not", &rs.Error{Code: "grant_revoked", Status: 404}, false},
		{"an error of our own does not", &rs.Error{Code: "not_authenticated"}, false},
		{"an error of another type does not", errors.New("no"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := rs.AsError(test.err).RefusesToken(); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
