package schema

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Names that fields of a role tend to have, the likeliest first.
func eventTimeNames() []string {
	return []string{
		"receivedat", "sentat", "occurredat", "happenedat", "takenat", "startsat", "startedat", "starttime", "start", "startdate", "orderedat", "playedat",
		"publishedat", "postedat", "date", "datetime", "timestamp", "time", "createdat", "created", "endtime", "ts", "editedat", "updatedat", "modifiedat",
	}
}

func titleNames() []string {
	return []string{"title", "subject", "name", "headline", "displayname", "label", "trackname", "activityname", "filename", "question", "summary"}
}

func secondaryNames() []string {
	return []string{"snippet", "description", "body", "bodytext", "text", "fulltext", "textcontent", "content", "summary", "notes", "note", "message", "comment"}
}

func actorNames() []string {
	return []string{"fromname", "author", "sender", "username", "from", "fromemail", "artist", "artistname", "merchant"}
}

// assignRole gives a role to the declared field or to the first of the likely names that has one of the types and no role yet.
func assignRole(fields []model.Field, role, declared string, names []string, kinds ...string) *model.Field {
	if declared != "" {
		names = []string{declared}
	}
	for _, name := range names {
		at := slices.IndexFunc(fields, func(field model.Field) bool {
			return (declared != "" && field.Name == name || declared == "" && plainName(field.Name) == name) && field.Role == "" && (declared != "" || slices.Contains(kinds, field.Type))
		})
		if at >= 0 {
			fields[at].Role = role
			return &fields[at]
		}
	}
	return nil
}

// plainName is a name as the likely ones are written: a field may be called "Sent At", sent_at or sentAt.
func plainName(name string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
}

// onlyTimestamp makes the one timestamp of a stream its event time, whatever its name. Of several, none is guessed.
func onlyTimestamp(fields []model.Field) *model.Field {
	var only *model.Field
	for index := range fields {
		if fields[index].Type == "timestamp" {
			if only != nil {
				return nil
			}
			only = &fields[index]
		}
	}
	if only != nil {
		only.Role = "event-time"
	}
	return only
}

// dateWords are in the names of dates, in the languages of those whose banks and shops write them.
var dateWords = item.Expression(`(?i)date|time|datum|buchung|valuta|fecha|data|dato|start|begin|from|^von$|(?:^|_)(?:day|tag|jour|giorno|when)(?:_|$)`)

// firstDate makes the first timestamp the event time whose name says that it is a date: a booking comes before what follows from it.
func firstDate(fields []model.Field) *model.Field {
	at := slices.IndexFunc(fields, func(field model.Field) bool { return field.Type == "timestamp" && dateWords().MatchString(field.Name) })
	if at < 0 {
		return nil
	}
	fields[at].Role = "event-time"
	return &fields[at]
}

// EventTime is the name of the field that says when a record happened: empty if there is none.
func EventTime(fields []model.Field) string {
	at := slices.IndexFunc(fields, func(field model.Field) bool { return field.Role == "event-time" })
	if at < 0 {
		return ""
	}
	return fields[at].Name
}
