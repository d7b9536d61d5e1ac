package foreign

import "github.com/pdp-connect/pdpp-mcp/tools/internal/written"

// operators are those of a condition by their words. Of those behind a '?' it is only likely, and those behind a '!' deny it.
var operators = written.ByWord(map[string]string{
	"":     "eq = == === exact equals equal is value",
	"gte":  "gte >= min minimum ge greater_than_or_equal greater_than_or_equal_to at_least more_than_or_equal_to",
	"gt":   "gt > larger_than higher_than exceeds greater_than more_than over above after later_than newer_than",
	"lte":  "lte <= max maximum le less_than_or_equal less_than_or_equal_to at_most fewer_than_or_equal_to",
	"lt":   "lt < smaller_than lower_than less_than fewer_than under below before earlier_than older_than",
	"?gte": "from since start on_or_after not_before", "?lte": "to until till end on_or_before not_after",
	"!":   "ne neq not != !== <> not_equal not_equals not_equal_to does_not_equal is_not",
	oneOf: "in any any_of one_of", "!" + oneOf: "nin not_in",
	between: "between range", "!" + between: "not_between",
	absent:       "is_null isnull null not_exists missing is_empty empty",
	"!" + absent: "exists not_null notnull is_not_null not_empty is_not_empty has_value present",
	within: "contains like ilike match matches regex starts_with startswith ends_with endswith search icontains includes iexact istartswith " +
		"iendswith iregex =~ ~ match_phrase match_phrase_prefix wildcard prefix regexp fuzzy substring substringof text",
	"!" + within: "not_like not_ilike not_contains does_not_contain",
	datePart:     "date year month day week week_day quarter hour",
})

// complements are the operators that say what the others exclude.
var complements = map[string]string{"gte": "lt", "gt": "lte", "lte": "gt", "lt": "gte"}

// Names of the parts of a condition that is written out, such as {"field":"total","operator":">=","value":100}.
var (
	fieldParts    = written.Set("field field_path field_name column property attribute key name")
	operatorParts = written.Set("operator op comparison condition comparator cmp predicate")
	valueParts    = written.Set("value values operand val")
)

// wrappers are what other query languages put around conditions that all hold, of which any or none is to hold, or that look for a text.
var wrappers = written.ByWord(map[string]string{
	"all": "where filter filters query term terms range bool must constant_score and & && all all_of conditions rules query_string " +
		"simple_query_string expression predicate",
	"any":   "or any | || should any_of",
	"inner": "data record attributes fields properties",
	"not":   "not nor must_not exclude except none",
	"match": "match match_phrase match_phrase_prefix wildcard prefix regexp fuzzy",
})

// noise are names in a filter of other languages that say how to compare, and ask for nothing.
var noise = written.Set("options boost minimum_should_match case_insensitive _name __typename")

// rowNames are what programs call a row.
var rowNames = written.Set("df row record item doc x")

// propertyTypes are those of Notion, which stand between a property and its condition.
var propertyTypes = written.Set("rich_text title text number date select multi_select status checkbox people email url phone_number " +
	"created_time last_edited_time")

// Flags of messages by what operators call them, with the names of fields that say so and the value that is meant.
var Flags = map[string]struct {
	Fields []string
	Value  string
}{
	"has:attachment":  {[]string{"has_attachments", "has_attachment"}, "true"},
	"has:attachments": {[]string{"has_attachments", "has_attachment"}, "true"},
	"is:unread":       {[]string{"is_seen", "is_read", "seen", "read"}, "false"},
	"is:read":         {[]string{"is_seen", "is_read", "seen", "read"}, "true"},
	"is:starred":      {[]string{"is_flagged", "is_starred"}, "true"}, "is:flagged": {[]string{"is_flagged", "is_starred"}, "true"},
}

// joiners are names beside a list of conditions by which all or any of them are to hold.
var joiners = written.Set("logic conjunction combinator operator op condition join mode type boolean")
