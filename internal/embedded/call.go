package embedded

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A call is one authenticated read while it is answered. It keeps the first refusal or failure, which becomes the answer. The code after it
// continues with empty values.
type call struct {
	ctx      context.Context
	store    *store.Store
	options  *Options
	url      *url.URL
	path     []string // segments after v1, unescaped
	params   parameters
	grant    authority.Grant
	catalog  *store.Catalog
	sources  []access // everything that the grant gives access to
	warnings []warning
	err      error // the first one
}

func (c *call) warn(w warning) { c.warnings = append(c.warnings, w) }

func (c *call) warnOf(param, code, message string) {
	c.warn(warning{Code: code, Message: message, Param: param})
}

// fail records err unless it is nil or there was an earlier error.
func (c *call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// refuse records a refusal as [call.fail] does.
func (c *call) refuse(refusal *apiError) {
	if refusal != nil {
		c.fail(refusal)
	}
}

func (c *call) extent(s access) store.Extent {
	extent, err := c.store.Extent(c.ctx, s.Source, c.options.Now())
	c.fail(err)
	return extent
}

func (c *call) find(s access, id string) (store.Record, bool) {
	r, ok, err := c.store.Find(c.ctx, s.Source, id)
	c.fail(err)
	return r, ok
}

func fieldsOf(r store.Record) rs.Object { return rs.AsObject(string(r.Data)) }

// body returns a stored record with the wanted fields that the source shows.
func (c *call) body(s access, r store.Record, wanted []string) object {
	return s.labeled(object{{"data", c.project(s, r, wanted)}, {"id", r.ID}, {"object", "record"}, {"stream", s.Stream.Name}}).
		with("emitted_at", model.FormatInstant(r.Emitted))
}

// project reduces the data of a record to the fields that are granted and wanted. Nil wanted: all granted fields.
func (c *call) project(s access, r store.Record, wanted []string) json.RawMessage {
	if s.all && wanted == nil {
		return r.Data
	}
	record := fieldsOf(r)
	var out rs.Object
	for _, field := range s.Fields {
		if record.Includes(field.Name) && (wanted == nil || slices.Contains(wanted, field.Name)) {
			out = append(out, rs.Member{Name: field.Name, Value: cmp.Or(record.Get(field.Name), "null")})
		}
	}
	return json.RawMessage(out.JSON())
}

func (c *call) isOwner() bool { return c.grant.Kind == authority.KindOwner }

// number reads an integer parameter. Below low it is refused; above high it is clamped, with a warning.
func (c *call) number(name string, usual, low, high int) int {
	text := c.params.single[name]
	if text == "" {
		return usual
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < low {
		c.refuse(invalidRequest("%s must be a whole number of at least %d, not %q", name, low, text).withParam(name))
		return usual
	}
	if value > high {
		c.warnOf(name, "limit_clamped", name+" clamped to "+strconv.Itoa(high))
	}
	return min(value, high)
}

const maxPage = 100

func (c *call) pageLimit(usual int, noun string) int {
	limit := c.number("limit", usual, 1, math.MaxInt)
	if limit > maxPage {
		c.warn(warning{
			Code: "limit_clamped", Param: "limit", Detail: map[string]int{"max_limit": maxPage, "requested_limit": limit},
			Message: fmt.Sprintf("Requested limit=%s exceeds the maximum page size of %d; returned at most %[2]d %s per page. Page forward "+
				"with the returned cursor.", c.params.single["limit"], maxPage, noun),
		})
	}
	return min(limit, maxPage)
}

// connection reads connection_id, or its deprecated alias connector_instance_id.
func (c *call) connection() string {
	canonical, alias := c.params.single["connection_id"], c.params.single["connector_instance_id"]
	switch {
	case alias == "":
		return canonical
	case canonical != "" && canonical != alias:
		c.refuse(invalidRequest("connection_id and connector_instance_id refer to the same connection. Send only `connection_id` " +
			"(canonical) or supply matching values.").withParam("connection_id"))
		return ""
	}
	c.warnOf("connector_instance_id", "deprecated_alias_used", "`connector_instance_id` is deprecated; send `connection_id` instead.")
	return alias
}

// open returns the sources of the stream in the path, or refuses if there are none.
func (c *call) open() []access {
	sources := selectSources(c.sources, func(s access) bool { return s.Stream.Name == c.path[1] })
	if len(sources) == 0 {
		c.refuse(failedClosed("context.stream_not_allowed"))
		return nil
	}
	return c.narrow(sources, connectionMismatch)
}

// narrow keeps the sources of the requested connector and connection. If the connection has none, it refuses with mismatch.
func (c *call) narrow(sources []access, mismatch func(connection string) *apiError) []access {
	if id := c.params.single["connector_id"]; id != "" {
		if sources = selectSources(sources, func(s access) bool { return s.ofConnector(id) }); len(sources) == 0 {
			c.refuse(newError(http.StatusNotFound, "not_found", "Unknown source: %s", id))
		}
	}
	connection := c.connection()
	if connection == "" {
		return sources
	}
	if sources = selectSources(sources, func(s access) bool { return s.Connection.ID == connection }); len(sources) == 0 {
		c.refuse(mismatch(connection))
	}
	return sources
}

// usable keeps the sources that pass check, as check returns them. If streams of several connectors have the same name, a parameter needs
// to be valid for one of them only: the others are left out, with a warning if param is not empty. If none passes, it refuses with the most
// specific of their errors.
func (c *call) usable(sources []access, param string, check func(access) (access, *apiError)) []access {
	var kept, left []access
	var furthest *apiError
	for _, s := range sources {
		narrowed, refusal := check(s)
		if refusal == nil {
			kept = append(kept, narrowed)
			continue
		}
		left = append(left, s)
		if furthest == nil || refusalRank(refusal) < refusalRank(furthest) {
			furthest = refusal
		}
	}
	if len(kept) == 0 {
		c.refuse(furthest)
		return nil
	}
	for _, s := range left {
		if param != "" {
			c.warnOf(param, "connection_left_out", "Connection '"+s.Connection.ID+"' is left out: its stream does not support this "+param+".")
		}
	}
	return kept
}

// refusalRank orders refusals: the lower the rank, the more checks the source passed.
func refusalRank(refusal *apiError) int {
	return slices.Index([]string{"field_not_granted", "unknown_field"}, refusal.Code)
}

// filtered keeps the sources that support the filters, narrowed to the records that match.
func (c *call) filtered(sources []access) []access {
	return c.usable(sources, "filter", c.filter)
}

// target returns the granted source that a relation leads to. It reports false if the foreign key is not granted or not comparable:
// following the relation would disclose the key.
func (c *call) target(from access, relation model.Relation) (access, bool) {
	for _, s := range c.sources {
		if s.Connector == from.Connector && s.Connection.ID == from.Connection.ID && s.Stream.Name == relation.Target {
			_, granted := s.Granted(relation.ForeignKey)
			_, comparable := s.Column(relation.ForeignKey)
			return s, granted && comparable
		}
	}
	return access{}, false
}

// opensAll reports whether the grant gives access to every stream of a connection.
func (c *call) opensAll(connection string) bool {
	opened, all := 0, -1
	for _, s := range c.sources {
		if s.Connection.ID == connection {
			opened, all = opened+1, len(s.Connector.Streams)
		}
	}
	return opened == all
}

func (c *call) self() object { return object{{"self", c.url.RequestURI()}} }

// links has the address of the page itself and of the next page, which is null after the last.
func (c *call) links(next string) object {
	links := object{{"self", c.url.RequestURI()}, {"next", nil}}
	if next != "" {
		query := c.url.Query()
		query.Set("cursor", next)
		links.set("next", c.url.EscapedPath()+"?"+query.Encode())
	}
	return links
}

func (c *call) meta() object {
	return object{{"count", object{{"kind", "none"}}}, {"warnings", c.warningList()}}
}

// warningList returns the warnings as a non-nil slice, so that JSON has [] instead of null.
func (c *call) warningList() []warning { return append([]warning{}, c.warnings...) }

// list returns the first members of a list response.
func (c *call) list() object { return object{{"object", "list"}, {"url", c.url.EscapedPath()}} }

// filter narrows a source to the records that match the filters. Only granted fields can be filtered by: the result would disclose the
// value of any other.
func (c *call) filter(s access) (access, *apiError) {
	for _, f := range c.params.filters {
		field, err := s.demand(f.field)
		if err != nil {
			return s, err
		}
		uses := usesOf(field, false)
		switch {
		case f.operator == "" && !uses.exact:
			return s, invalidRequest("Exact filters are not supported on '%s'", field.Name)
		case f.operator != "" && uses.operators == nil:
			return s, invalidRequest("Range filters are not supported on '%s'", field.Name)
		case f.operator != "" && !slices.Contains(uses.operators, f.operator):
			return s, invalidRequest("Unsupported range operator '%s' on '%s'", f.operator, field.Name)
		}
		target, _ := s.Column(field.Name) // every field with a filter has a column
		condition, ok := target.Filter(f.operator, f.value)
		if !ok {
			return s, invalidRequest("Filter value %q on '%s' is not a %s", f.value, field.Name,
				target.Kind.Noun()).withParam("filter[" + field.Name + "]")
		}
		s.Source = s.Narrow(condition)
	}
	return s, nil
}
