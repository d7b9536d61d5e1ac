package fanout

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// listRead returns a read that fails unless the answer is a list. what names the list in the error.
func listRead(r rs.Request, what string) memberRead {
	return func(ctx context.Context, d rs.Doer) (*rs.Response, error) {
		response, err := d.Do(ctx, r)
		if err == nil {
			if _, ok := response.List(); !ok {
				return nil, &rs.Error{Code: "invalid_response", Message: "This connection's answer is not the " + what + " that the contract promises."}
			}
		}
		return response, err
	}
}

// attributed returns the rows of a list, each with its connection.
func attributed(items []rs.Item, source rs.Connection) []rs.Item {
	items = rows(items)
	for i, item := range items {
		items[i] = attribute(item, source)
	}
	return items
}

const maxMergedWarnings = 20

// mergeWarnings appends new warnings: members of one resource server tend to send the same ones.
func mergeWarnings(all []string, more ...string) []string {
	for _, w := range more {
		if !slices.Contains(all, w) && len(all) < maxMergedWarnings {
			all = append(all, w)
		}
	}
	return all
}

func warning(code, message string) string {
	return rs.Object{rs.NewMember("code", code), rs.NewMember("message", message)}.JSON()
}

// unavailableWarning names the connections that are missing from a merged answer: those that could not be read, and those that could but
// lack a field of the filter.
func unavailableWarning(unavailable []rs.UnavailableConnection, outlook string) string {
	const most = 5
	var failed, lacking, sentences []string
	for _, u := range unavailable {
		if name := rs.ErrorText(cmp.Or(u.DisplayName, u.ID)); u.Code == "unknown_field" {
			lacking = append(lacking, name)
		} else {
			failed = append(failed, fmt.Sprintf("%s (%s)", name, u.Code))
		}
	}
	add := func(lead string, named []string, end string) {
		if others := len(named) - most; others > 0 {
			named = append(named[:most], fmt.Sprintf("%d more", others))
		}
		if len(named) > 0 {
			sentences = append(sentences, lead+strings.Join(named, ", ")+"."+end)
		}
	}
	add("Connections that could not be read: ", failed, outlook)
	add("Left out, because they lack a field of the filter: ", lacking, " Schema has what their fields are called.")
	return warning("unavailable_connections", strings.Join(sentences, " "))
}

// merged returns a merged answer, which names the connections that are missing from it.
func merged(body rs.Object, unavailable []rs.UnavailableConnection, last ...rs.Member) *rs.Response {
	if len(unavailable) > 0 {
		body = append(body, rs.NewMember("unavailable_connections", unavailable))
	}
	return &rs.Response{Status: http.StatusOK, Body: append(body, last...).JSON(), ContentType: "application/json", Unavailable: len(unavailable)}
}
