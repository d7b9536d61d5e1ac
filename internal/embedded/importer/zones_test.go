package importer

import "testing"

// PayPal and others write the zone of a time into another column.
func TestTheZoneBesideATimeIsUsed(t *testing.T) {
	for _, one := range []struct{ text, field, kind, want string }{
		{"Datum;Uhrzeit;Zeitzone;n\n10.07.2026;10:35:11;CEST;1\n13.01.2026;10:35:11;CET;2\n", "Datum_time", "timestamp", "2026-07-10T10:35:11+02:00"},
		{"Date,Time,TimeZone,n\n03/14/2026,23:30:00,PDT,1\n04/20/2026,11:30:00,PDT,1\n", "Date_time", "timestamp", "2026-03-14T23:30:00-07:00"},
		{"Start,Zone,n\n2026-06-01 22:15:00,UTC+3,1\n2026-06-02 22:15:00,UTC-03:30,2\n", "Start", "timestamp", "2026-06-01T22:15:00+03:00"},
		{"start,end,tz\n2026-06-01T22:15,2026-06-01T23:15,Europe/Berlin\n2026-12-01T22:15,2026-12-01T23:15,Europe/Berlin\n", "end", "timestamp", "2026-06-01T23:15:00+02:00"},
		{"Start,Time Zone,n\n6/13/2026 10:15 PM,GMT,1\n6/14/2026 10:15 PM,GMT,2\n", "Start", "timestamp", "2026-06-13T22:15:00Z"},
		{"Start,Zone,n\n2026-06-01 22:15:00,UTC+3,1\n2026-06-02 22:15:00,,2\n", "Start", "local_time", "2026-06-01T22:15:00"},
		{"Start,Zone,n\n2026-06-01 22:15:00,north,1\n2026-06-02 22:15:00,CET,2\n", "Start", "local_time", "2026-06-01T22:15:00"},
		{"Start,Code,n\n2026-06-01 22:15:00,EST,1\n2026-06-02 22:15:00,CET,2\n", "Start", "local_time", "2026-06-01T22:15:00"},
		{"Start,Zone,n\n2026-06-01,CEST,1\n2026-06-02,CEST,2\n", "Start", "date", "2026-06-01"},
	} {
		values, stream := valuesOf(t, "t.csv", one.text)
		if field, _ := stream.Field(one.field); len(values[one.field]) == 0 || values[one.field][0] != one.want || field.Type != one.kind {
			t.Errorf("%q: %v %+v, want %s", one.text, values[one.field], field, one.want)
		}
	}
}
