package render

import (
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Short names for what every renderer writes.
type (
	object = rs.Object
	member = rs.Member
)

func pair(name string, value string) member { return member{Name: name, Value: value} }

// decode reads an answer, which must be an object. what names the answer in the error, which shows nothing of the body.
func decode(response *rs.Response, what string) (object, error) {
	o := rs.AsObject(response.Distinct())
	if o == nil {
		return nil, notAnObject(response.Body, what)
	}
	return o, nil
}

func notAnObject(body, what string) error {
	return invalidResponse(what, "is JSON but not an object: "+rs.Kind(body))
}

func invalidResponse(what, fault string) *rs.Error {
	return &rs.Error{
		Code:    rs.InvalidResponse,
		Message: fmt.Sprintf("The resource server's answer to %s %s.", what, fault),
		Hint:    "Retry once; if it fails again, tell the operator of the resource server.",
	}
}
