package foreign

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Aliases are the names of an argument in other APIs. A tool accepts an alias only if it has no argument of that name.
var Aliases = lists(map[string]string{
	"stream":        "stream_name stream_id streams table table_id table_name collection collection_name database database_id",
	"streams":       "stream stream_name stream_names tables collections namespace",
	"connection_id": "connection connections connection_ids connection_name account account_id source source_id app connector",
	"limit": "page_size pagesize per_page max_results num_results top_k top_n top first take max size k n max_records rows " +
		"max_num_results anzahl",
	"limit_chars":  "limit length max_chars max_length num_chars chars size",
	"offset_chars": "offset start start_chars char_offset",
	"before_chars": "before context_before",
	"after_chars":  "after context_after",
	"cursor":       "next_cursor page_token next_page_token",
	"fields":       "select columns properties projection attributes field field_names source_fields",
	"field":        "field_path field_name column property attribute path fields",
	"filter":       "filters where conditions criteria formula filter_by filter_by_formula where_clause",
	"sort":         "sort_by sortby order_by orderby sort_field ordering sorts tri orden",
	"order":        "sort_order sort_direction order_direction direction dir",
	"expand":       "include includes embed relations populate join joins with related relationships include_related",
	"q": "text search search_query search_term search_terms keywords keyword terms query_text query pattern phrase queries input prompt " +
		"question arg1 __arg1 suche suchbegriff consulta buscar busqueda búsqueda requete requête recherche ricerca pesquisa zoekterm",
	"id":            "record_id uri url ids record_uri result_id record",
	"metric":        "function operation aggregation aggregate agg func op aggregate_function metrics measure",
	"group_by":      "groupby group group_by_field by per dimension dimensions",
	"group_by_time": "time_field date_field group_by_date",
	"granularity":   "interval bucket period time_bucket time_granularity",
	"time_zone":     "timezone tz",
	"mode":          "search_type search_mode",
	"since":         SinceNames,
	"until":         UntilNames,
})

// SinceNames and UntilNames are other names for the bounds of a search, SpanWords those for both in one object, list or text.
const (
	SinceNames = "from start start_date date_from from_date start_time time_min desde von seit depuis"
	UntilNames = "to end end_date date_to to_date end_time time_max hasta bis"

	SpanWords = "date_range time_range timeframe recency period range dates between daterange timerange date_filter time_period"
)

// LackingAliases are aliases only if the argument itself is absent, since they may also be names of fields.
var LackingAliases = lists(map[string]string{
	"stream":  "resource entity entity_type resource_type object_type record_type dataset type model index from",
	"streams": "resources types type kind scope sources resource entity index in",
	"id":      "key pk path",
	"metric":  "select measures",
})

// Defaults are arguments of other APIs with the value that every call has here.
var Defaults = map[string]string{"user_id": `"me"`, "calendar_id": `"primary"`, "single_events": "true"}

// Envelopes are names of objects that other APIs wrap arguments in.
var Envelopes = written.Set("args arguments params parameters input action_input tool_input variables request body payload options opts " +
	"pagination paging query_params")

// WordForms maps other spellings to the values of an argument that allows only a few.
var WordForms = map[string]map[string]string{
	"order": Directions,
	"granularity": written.ByWord(map[string]string{
		"hour": "hours hourly h 1h 1H 60m", "day": "days daily d 1d 1D 24h", "week": "weeks weekly w 1w 1W 7d 7D",
		"month": "months monthly mo 1M 1mo ms me", "quarter": "quarters quarterly q qs qe 1q 1Q",
		"year": "years yearly annual annually y ys ye 1y 1Y"}),
	"mode":   written.ByWord(map[string]string{"lexical": "keyword keywords full_text fulltext text exact", "semantic": "vector similarity"}),
	"metric": lexicon.Meanings("metric"),
	"count":  written.ByWord(map[string]string{"exact": "true yes total", "none": "false no"}),
	"detail": written.ByWord(map[string]string{"full": "detailed verbose complete true", "compact": "summary brief false"}),
}

// Directions maps words to the two directions of a sort.
var Directions = written.ByWord(map[string]string{
	"desc": "desc descending highest largest biggest greatest newest latest most_recent -1 " +
		"highest_first largest_first biggest_first greatest_first most_first newest_first latest_first high_to_low",
	"asc": "asc ascending lowest smallest oldest earliest 1 " +
		"lowest_first smallest_first fewest_first least_first oldest_first earliest_first low_to_high",
})

// LikelyForms maps words that no value of an argument expresses to the nearest value, which is proposed. Groups by weekday, for example,
// can be worked out from groups by day. A limit beyond the largest becomes the largest.
var LikelyForms = map[string]map[string]string{
	"granularity": written.ByWord(map[string]string{
		"day": "weekday weekdays weekend weekends day_of_week dayofweek dow day_name", "hour": "minute hour_of_day hourofday time_of_day",
		"week": "fortnight 2w 2_w 14d", "month": "m 30d 30_d", "quarter": "season 90d", "year": "decade 365d"}),
	"metric": written.ByWord(map[string]string{
		"max": "latest newest last most_recent highest largest biggest", "min": "earliest oldest first lowest smallest"}),
	"limit": written.ByWord(map[string]string{
		"1": "one single", "2": "two couple", "3": "three few", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
		"10": "ten", "12": "twelve dozen", "15": "fifteen", "20": "twenty", "25": "twenty_five", "30": "thirty", "50": "fifty",
		"100": "hundred one_hundred a_hundred", "1000000000": "all max maximum most everything unlimited"}),
}

// ArgumentFlags are boolean arguments of other APIs. True means one value of another argument.
var ArgumentFlags = written.ByWord(map[string]string{
	"order desc": "desc descending reverse", "order asc": "asc ascending", "detail full": "full verbose",
	"count exact": "include_total include_totals include_count with_count with_total total_count total count_only return_count return_total",
})

// NotFields are arguments of other tools, or without an effect on a read. They are not names of fields.
var NotFields = written.Set(pageWords, silentWords, "include_deleted full mode sort order fields q query streams expand metric field group_by "+
	"group_by_time granularity time_zone count distinct language having ascending descending reverse sql unique")

func lists(of map[string]string) map[string][]string {
	all := map[string][]string{}
	for name, words := range of {
		all[name] = strings.Fields(words)
	}
	return all
}

// Aggregations are the arguments of other APIs that contain a metric and its field.
var Aggregations = written.Set("aggregations aggregation aggregates aggs pipeline")

// Joins returns whether an argument beside conditions, such as operator, says that all or any of them must hold; "" for another argument.
func Joins(m rs.Member) (kind string) {
	name, word := written.Snake(m.Name), m.Value
	if text, ok := written.Text(word); ok {
		word = text
	}
	if written.Truth(m.Value) == "true" { // {"any":true}
		name, word = "op", name
	}
	if kind = wrappers[plainWord(word)]; joiners[name[strings.LastIndex(name, "_")+1:]] && (kind == "any" || kind == "all") {
		return kind
	}
	return ""
}

// Joined moves into the filter what other arguments say of its conditions: that any or none of them must hold, or which must not.
func Joined(args rs.Object) rs.Object {
	for _, m := range args {
		kind, filter, name := Joins(m), args.Get("filter"), written.Snake(m.Name)
		verb, of, _ := strings.Cut(name, "_")
		switch {
		case kind != "" && rs.Kind(filter) != "":
			if args = args.Without(m.Name); kind == "any" && len(rs.AsObject(filter)) != 1 {
				args = args.With("filter", rs.Object{{Name: "or", Value: filter}}.JSON())
			}
		case negations[name] && written.Truth(m.Value) == "true" && filter != "":
			args = args.Without(m.Name).With("filter", rs.Object{{Name: "not", Value: filter}}.JSON())
		case rs.AsObject(m.Value) != nil && (denials[verb] || verb == "filter" && (of == "not" || of == "out")):
			args = args.Without(m.Name).With("filter", rs.JoinArray([]string{cmp.Or(filter, "{}"), rs.Object{{Name: "not", Value: m.Value}}.JSON()}))
		case of != "" && denials[verb] && written.IsWord(m.Value) && written.Truth(m.Value) == "": // exclude_status
			denied := rs.Object{{Name: "not", Value: rs.Object{{Name: of, Value: m.Value}}.JSON()}}.JSON()
			args = args.Without(m.Name).With("filter", rs.JoinArray([]string{cmp.Or(filter, "{}"), denied}))
		}
	}
	return args
}

// negations are flags that deny the filter.
var negations = written.Set("negate negated negative invert inverse not exclude")

// Silent are arguments that do not select records, or that the error message already explains. Pages are those of them that ask for pages
// or records by number, instead of by a cursor.
var (
	Silent = written.Set(pageWords, silentWords)
	Pages  = written.Set(pageWords)
)

const (
	silentWords = "reason purpose explanation description intent comment format output output_format verbose debug pretty " +
		"timeout include_metadata raw limit cursor view detail"
	pageWords = "page page_number offset skip starting_after ending_before"
)

// Bounds are arguments that limit a period. In this program a filter on the stream's time field does that.
var Bounds = written.Set(SpanWords, SinceNames, UntilNames, "since until after before date when")

// BoundOperators maps the bounds of a search to the operators of a filter.
var BoundOperators = map[string]string{"since": "gte", "until": "lte"}

// WordArguments are names of an argument with words to search for. They are not fields of a stream.
var WordArguments = strings.Fields("q query search search_query search_term search_terms keywords keyword")

// NamesSomeone reports whether an argument such as from is a person or an address, not a bound of a period.
func NamesSomeone(m rs.Member) bool {
	name := written.Snake(m.Name)
	text, isText := written.Text(m.Value)
	return (name == "from" || name == "to") && isText && !written.NamesDays(text) && (written.IsWord(m.Value) || strings.Contains(m.Value, "@"))
}

// WholeNumber matches a whole number of up to 10 digits.
var WholeNumber = written.Expression(`^[+-]?[0-9]{1,10}$`)

// Limited makes a lone number in expand_limit the limit of the one expanded relation, and quoted limits numbers.
func Limited(args rs.Object) rs.Object {
	raw := args.Get("expand_limit")
	limits := rs.AsObject(raw)
	if n, _ := rs.AsText(raw); WholeNumber().MatchString(n) && len(args.Array("expand")) == 1 {
		relation, _ := written.Text(args.Array("expand")[0])
		limits = rs.Object{{Name: relation, Value: n}}
	} else if len(limits) == 1 && len(args.Array("expand")) == 1 { // under another name of the one relation
		relation, _ := written.Text(args.Array("expand")[0])
		limits = rs.Object{{Name: relation, Value: limits[0].Value}}
	}
	for i, m := range limits {
		if s, ok := written.Text(m.Value); ok && WholeNumber().MatchString(s) {
			limits[i].Value = s
		}
	}
	if len(limits) > 0 && limits.JSON() != raw {
		return args.With("expand_limit", limits.JSON())
	}
	return args
}
