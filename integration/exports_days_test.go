package integration

import "fmt"

// dayExports are files of phones and watches about days and places, and malformed files of banks and programs.
func dayExports() []export {
	return []export{locationExport(), watchExport(), bankExport()}
}

// locationExport is Google's location history, as exported by Takeout and by phones.
func locationExport() export {
	const months = "Location History/Semantic Location History/"
	return export{
		folder: "places",
		files: map[string]string{
			months + "2021/2021_MAY.json": `{"timelineObjects":[
				{"activitySegment":{"startLocation":{"latitudeE7":414083590,"longitudeE7":21704229},"distance":2640,"activityType":"IN_BUS",
					"duration":{"startTimestamp":"2021-05-03T12:22:24Z","endTimestamp":"2021-05-03T12:43:34Z"}}},
				{"placeVisit":{"location":{"latitudeE7":506443503,"longitudeE7":30774789,"placeId":"p1","address":"147 Rue du Ballon","name":"Nexedi"},
					"duration":{"startTimestamp":"2021-05-03T12:43:34Z","endTimestamp":"2021-05-03T17:42:24Z"},"visitConfidence":99}}]}`,
			months + "2017/2017_JULY.json": `{"timelineObjects":[{"placeVisit":{"location":{"latitudeE7":-500000001,"longitudeE7":7,"name":"Quay"},
				"duration":{"startTimestampMs":"1500000000000","endTimestampMs":"1500003600000"}}}]}`,
			"Location History/Records.json": `{"locations":[
				{"latitudeE7":414216106,"longitudeE7":21684775,"accuracy":20,"timestamp":"2022-01-12T17:18:24.19Z"},
				{"timestampMs":"1486110600090","latitudeE7":356617253,"longitudeE7":1396787215}]}`,
			"Timeline.json": `{"semanticSegments":[{"startTime":"2026-01-15T02:15:00.000+01:00","visit":{"topCandidate":{"semanticType":"HOME"}}}],
				"rawSignals":[{"position":{"LatLng":"50.05°, 14.34°","source":"WIFI","timestamp":"2026-01-15T03:00:00.000+01:00"}},
				{"wifiScan":{"deliveryTime":"2026-01-16T03:00:00.000+01:00","devicesRecords":[{"mac":1}]}}]}`,
			"location-history.json": `[{"startTime":"2024-09-01T07:00:00.000-07:00","activity":{
				"start":"geo:47.63,-122.33","distanceMeters":"1000.5","topCandidate":{"type":"walking","probability":"0.5"}}}]`,
		},
		truths: []truth{
			lists(`{"stream":"places_Location_History_Semantic_Location_History","filter":{"kind":"placeVisit","startTime":{"gte":"2021-05-03"}}}`,
				"1 record", "Nexedi", "147 Rue du Ballon", "50.6443503", "2021-05-03T17:42:24Z"),
			lists(`{"stream":"places_Location_History_Semantic_Location_History","filter":{"startTime":{"lt":"2018-01-01"}}}`,
				"1 record", "Quay", "2017-07-14T02:40:00Z", "-50.0000001", "0.0000007"),
			sums("places_Location_History_Semantic_Location_History", "distance", "2640"),
			finds("Nexedi", "places_Location_History_Semantic_Location_History:"),
			lists(`{"stream":"places_Location_History_Records","filter":{"timestamp":{"lt":"2018-01-01"}}}`,
				"1 record", "2017-02-03T08:30:00.09Z", "139.6787215"),
			lists(`{"stream":"places_Timeline","filter":{"startTime":{"gte":"2026-01-15"}}}`, "1 record", "HOME"),
			lists(`{"stream":"places_Timeline_rawSignals","filter":{"timestamp":{"lt":"2026-01-16"}}}`, "1 record", "50.05°, 14.34°", "position"),
			lists(`{"stream":"places_location-history","filter":{"startTime":{"gte":"2024-09-01"}}}`, "1 record", "walking"),
			sums("places_location-history", "activity.distanceMeters", "1000.5"),
		},
	}
}

// watchExport has a file for each day, as Fitbit writes them.
func watchExport() export {
	one := export{folder: "watch", files: map[string]string{}, truths: []truth{
		counts("watch_heart_rate", "60"), counts("watch_steps", "30"), sums("watch_steps", "value", "3150"),
		lists(`{"stream":"watch_heart_rate","filter":{"dateTime":{"gte":"2026-01-30"}}}`,
			"2 records", "2026-01-30T23:00:05", "heart_rate-2026-01-30.json"),
	}}
	for day := 1; day <= 30; day++ {
		date := fmt.Sprintf("01/%02d/26", day)
		heart := fmt.Sprintf(`[{"dateTime":"%[1]s 00:00:05","value":{"bpm":60}},{"dateTime":"%[1]s 23:00:05","value":{"bpm":70}}]`, date)
		one.files[fmt.Sprintf("heart_rate-2026-01-%02d.json", day)] = heart
		one.files[fmt.Sprintf("steps-2026-01-%02d.json", day)] = fmt.Sprintf(`[{"dateTime":"%s 00:00:00","value":"105"}]`, date)
	}
	return one
}

// bankExport has amounts marked as credit or debit, rows that do not match their header, and numbers that JSON does not allow.
func bankExport() export {
	return export{
		folder: "odd-bank",
		files: map[string]string{
			"sides.csv":  "Date,Text,Amount\n2026-01-01,Pay,\"1,234.50 CR\"\n2026-01-02,Food,200.00 DR\n2026-01-03,Fee,5.00 DR\n",
			"ragged.csv": "id,Text,Amount,Note\n1,a,5,x\n2,b\n3,c,7,y\n4,d,8,y,z\n5,\"e,9,y\n6,f,10,y\n",
			"model.json": "[{\"id\":\"a\",\"loss\":0.5},\n{\"id\":\"b\",\"loss\":NaN},\n{\"id\":\"c\",\"loss\":-Infinity},\n{\"id\":\"d\",\"loss\":1.5}]",
		},
		truths: []truth{
			sums("odd-bank_sides", "Amount", "1029.5"),
			lists(`{"stream":"odd-bank_sides","filter":{"Amount":{"lt":0}}}`, "2 records", "-200.00"),
			counts("odd-bank_ragged", "4"), sums("odd-bank_ragged", "Amount", "22"),
			counts("odd-bank_model", "4"), sums("odd-bank_model", "loss", "2"),
			lists(`{"stream":"odd-bank_ragged","filter":{"id":4}}`,
				"3 pieces of odd-bank/ragged.csv were not read in full", "the row has 2 cells, and the header 4"),
		},
		skips: []string{
			"ragged.csv:5: the row has 5 cells, and the header 4", "ragged.csv:6: a quotation mark is opened and not closed",
		},
	}
}
