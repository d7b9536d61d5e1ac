package authority

import (
	"cmp"
	_ "embed" // the style
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
)

//go:embed consent.css
var consentCSS string

// page renders a request or its outcome. pending is nil for an unknown request. message says what was wrong with a decision.
func (s *Server) page(c *call, pending *request, cookie, message string) (any, error) {
	var title string
	var rest g.Node
	role := "status"
	switch {
	case pending == nil:
		c.status, title, message = http.StatusNotFound, "No such request", "It may be over. Start again in the program that asked."
	case pending.decision == approved:
		title, message = "Access granted", "Go back to the program that asked."
		isDecision := c.Method == http.MethodPost && c.status == http.StatusOK // others may know the page's address, and must not get the code
		if isDecision && pending.attempt == "" && !pending.exchanged && pending.exchange != "" {
			rest = g.Group{page.P(g.Text("If it asks for a code, give it this one, which works once:")), page.P(h.Code(g.Text(pending.exchange)))}
		}
	case pending.decision == denied:
		title, message = "Access denied", "The program gets nothing. You can close this page."
	case !s.Now().Before(pending.expires):
		c.status, title, message = http.StatusGone, "This request is over", "Start again in the program that asked."
	default:
		described, err := s.describe(pending)
		if err != nil {
			return nil, err
		}
		title, role, rest = "May this program read your data?", "alert", g.Group{described, s.decisionForm(pending, cookie)}
	}
	return page.Frame{Style: consentCSS, Forms: true, Bare: true}.Render(c.header, redirectSource(pending), title, page.Main(
		h.H1(g.Text(title)), g.If(message != "", page.P(page.Class("message"), h.Role(role), g.Text(message))), rest,
	)), nil
}

// redirectSource returns the policy source that lets the form's answer redirect to the program: browsers apply form-action to redirects.
func redirectSource(r *request) string {
	if r == nil || r.redirect == nil {
		return ""
	}
	u := r.redirect
	if strings.Contains(u.Host, "[") || strings.ContainsAny(u.Host, ";, '") { // a policy cannot contain IPv6 addresses
		return " " + u.Scheme + ":"
	}
	return " " + u.Scheme + "://" + u.Host
}

// describe renders who asks for what.
func (s *Server) describe(r *request) (g.Node, error) {
	var purposes []string
	var sources g.Group
	ends := "until the program ends it, or this server stops"
	for _, requested := range r.details {
		connector, granted, err := s.bind(requested)
		if err != nil {
			return nil, err
		}
		sources = append(sources, describeSource(connector, granted))
		if purpose := inOrder(requested.PurposeDescription + " (" + requested.PurposeCode + ")"); !slices.Contains(purposes, purpose) {
			purposes = append(purposes, purpose)
		}
		if requested.AccessMode == singleUse {
			ends = "24 hours"
		}
	}
	who := g.Group{
		h.Strong(g.El("bdi", g.Text(cmp.Or(inOrder(r.client.Name), "A program without a name")))),
		g.Text(", a name that it gave itself ("), h.Code(g.Text(r.client.ID)), g.Text(")"),
	}
	if r.redirect != nil {
		who = append(who, g.Text("; the answer goes to "), h.Code(g.Text(r.redirect.Host)))
	}
	return g.Group{
		h.Dl(
			h.Dt(g.Text("Who asks")), h.Dd(who),
			g.If(len(purposes) > 0, h.Dt(g.Text("What for, as it says"))),
			g.Map(purposes, func(purpose string) g.Node { return h.Dd(g.Text(purpose)) }),
			h.Dt(g.Text("For how long")), h.Dd(g.Text(ends)),
		),
		sources,
	}, nil
}

// describeSource renders the streams of a source that are requested, and their connections.
func describeSource(connector model.Connector, granted []StreamGrant) g.Node {
	var connections []string
	for _, c := range connector.Connections {
		if only(granted, c) != nil {
			connections = append(connections, c.DisplayName+" ("+c.ID+")")
		}
	}
	return h.Section(
		h.H2(g.Text(connector.Key)), page.P(h.Code(g.Text(connector.SourceID))),
		page.P(g.Text("Connections: "+strings.Join(connections, ", "))),
		h.Table(
			page.Columns("Stream", "", "Fields", "", "Time", ""),
			h.TBody(g.Map(granted, func(stream StreamGrant) g.Node {
				return page.Row("", stream.Stream, page.Cell("", fieldsOf(stream)), page.Cell("", spanOf(stream)))
			})),
		),
	)
}

// decisionForm asks the owner to allow or deny a request and, if it has no details, to pick connections.
func (s *Server) decisionForm(r *request, cookie string) g.Node {
	minutes := max(1, int64(r.expires.Sub(s.Now())/time.Minute))
	return h.Form(
		h.Method("post"), h.Action("/consent/approve"), h.AutoComplete("off"),
		page.Hidden("_csrf", s.csrf(r, cookie), "request_uri", r.uri()),
		g.If(r.details == nil, h.FieldSet(
			h.Legend(g.Text("It may read these connections, with all streams and fields")),
			g.Map(s.Connectors(), func(connector model.Connector) g.Node { return picks(connector, r.picked) }),
		)),
		page.Secret(fmt.Sprintf("It is in the terminal where this server was started. This request ends in %d min.", minutes)),
		page.P(
			page.Class("decide"), h.Button(h.Type("submit"), g.Text("Allow")),
			h.Button(h.Type("submit"), page.Class("deny"), h.FormAction("/consent/deny"), h.FormNoValidate(), g.Text("Deny")),
		),
	)
}

// picks renders checkboxes for the connections of a source; those in picked are checked.
func picks(connector model.Connector, picked []string) g.Node {
	var streams []string
	for _, stream := range connector.Streams {
		streams = append(streams, stream.Name)
	}
	return g.Map(connector.Connections, func(c model.Connection) g.Node {
		return h.Label(
			page.Class("pick"),
			h.Input(h.Type("checkbox"), h.Name("connection"), h.Value(c.ID), g.If(slices.Contains(picked, c.ID), h.Checked())),
			h.Span(g.Text(c.DisplayName+" "), h.Small(g.Text(connector.Key+": "+strings.Join(streams, ", ")))),
		)
	})
}

func fieldsOf(g StreamGrant) string {
	if g.Fields == nil {
		return "all fields"
	}
	return strings.Join(g.Fields, ", ")
}

func spanOf(g StreamGrant) string {
	since, until := boundOf(g.Since), boundOf(g.Until)
	switch {
	case g.Since.IsZero() && g.Until.IsZero():
		return "all of it"
	case g.Until.IsZero():
		return "since " + since
	case g.Since.IsZero():
		return "before " + until
	}
	return "from " + since + " to before " + until
}

// boundOf formats a time as a date if it is midnight in UTC, else with its time, so that "before" a date excludes all of that day.
func boundOf(t time.Time) string {
	if t = t.UTC(); t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(time.DateOnly)
	}
	return formatTime(t)
}

// inOrder removes control characters from a text of the program, and characters that would reorder the text of the page around it.
func inOrder(text string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return c
	}, text))
}

// csrf returns the token that binds a form to a request and to a browser.
func (s *Server) csrf(r *request, cookie string) string {
	return keyed(s.key[:], r.code+" "+cookie)
}
