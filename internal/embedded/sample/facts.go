package sample

// A Fact is something that the year knows, with the words that find it.
type Fact struct {
	Question string
	Query    string // a lexical search for it finds the answer among its first hits
	Answer   string // is in the record as it is
	Stream   string // the stream of the record
}

// Facts are questions that [Year] answers: for demonstrations, and for tests that look for a known needle.
func Facts() []Fact {
	return []Fact{
		{"When is the dentist appointment?", "dentist appointment", "Thursday 12 March 2026 at 14:30", "message_bodies"},
		{"How much did I pay for the Lisbon flights?", "Lisbon flights", "£412.60", "message_bodies"},
		{"Where are we staying in Lisbon?", "Lisbon hotel", "Rua da Bica 41", "events"},
		{"What is the Wi-Fi network of the new router called?", "new router network", "Fernlink-Otter-58", "notes"},
		{"When is Ida's birthday party?", "Ida birthday party", "Saturday 23 May 2026", "events"},
		{"What is Sam's birthday present?", "Sam birthday present", "a brass sextant", "notes"},
		{"What did the plumber replace in the boiler?", "boiler repair", "diverter valve", "message_bodies"},
		{"What was the total of the invoice to Porto Maritime?", "invoice Porto Maritime", "€18,750.00", "message_bodies"},
		{"What does the car insurance cost next year?", "car insurance renewal", "£386.40", "message_bodies"},
		{"When does my passport expire?", "passport expires", "4 September 2031", "notes"},
		{"How much does Biscuit weigh?", "Biscuit weighs", "14.2 kg", "message_bodies"},
		{"What caused the Harbour outage in February?", "root cause Harbour outage", "an expired TLS certificate on the relay", "messages"},
		{"How hot must the oven be for the sourdough?", "sourdough oven", "230 °C", "notes"},
		{"Where is the spare key?", "spare key", "under the third flowerpot", "message_bodies"},
		{"Which seats do we have for The Paper Lanterns?", "concert tickets Paper Lanterns", "row F, seats 12 and 13", "order_items"},
		{"What was my time in the half marathon?", "half marathon", "1:58:41", "notes"},
		{"Which book did Yuki recommend?", "book called Yuki", "The Lighthouse Almanac", "message_bodies"},
		{"How many Kestrel units go to Oslo?", "Kestrel units Oslo", "36 Kestrel units", "messages"},
		{"In which room is my talk in Oslo?", "talk Oslo", "Room Fjord 2", "events"},
		{"What is the daily allowance in Oslo?", "daily allowance", "640 kroner", "message_bodies"},
		{"How much will I pay into the pension?", "pension contribution", "7 per cent", "message_bodies"},
	}
}
