package demo

import (
	"fmt"
	"slices"
	"time"
)

type calendarEvent struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	StartsAt  string   `json:"starts_at"`
	EndsAt    string   `json:"ends_at"`
	Location  *string  `json:"location"`
	Attendees []string `json:"attendees"`
	Notes     *string  `json:"notes"`
	IsAllDay  bool     `json:"is_all_day"`
}

// An appointment is an event before it has an id. No length means all day.
type appointment struct {
	title, location, notes string
	when                   time.Time
	length                 time.Duration
	attendees              []string
}

func (b *yearBuilder) addCalendar() {
	random := source(5)
	appointments := plantedAppointments()
	for _, habit := range habits() {
		for day := yearStart(); day.Before(yearEnd()); day = day.AddDate(0, 0, 1) {
			week := int(day.Sub(yearStart()).Hours()) / (24 * 7)
			if day.Weekday() != habit.weekday || week%habit.everyWeeks != habit.offset || random.IntN(12) == 0 {
				continue
			}
			appointments = append(appointments, appointment{
				title: habit.title, location: habit.location, when: onDay(day, habit.hour, habit.minute), length: habit.length, attendees: habit.attendees,
				notes: newTeller(random, day).tell(pick(random, habit.notes)),
			})
		}
	}
	for _, when := range sortedTimes(random, 70, wakingTime) {
		outing := pick(random, outings())
		tale := newTeller(random, when)
		appointments = append(appointments, appointment{
			title: tale.tell(outing.title), location: tale.tell(outing.location), notes: tale.tell(outing.notes),
			when: when.Truncate(30 * time.Minute), length: outing.length, attendees: []string{tale.slots["friend"]},
		})
	}
	slices.SortStableFunc(appointments, func(left, right appointment) int { return left.when.Compare(right.when) })
	for index, one := range appointments {
		// People write things into a calendar some days ahead, and that is when the event is emitted.
		written := one.when.AddDate(0, 0, -random.IntN(20)).Add(-time.Hour)
		if written.Before(yearStart()) {
			written = yearStart()
		}
		id := fmt.Sprintf("evt-%04d", index+1)
		b.add(homeCalendar, "events", id, written, one.event(id))
	}
}

func (a appointment) event(id string) calendarEvent {
	event := calendarEvent{
		ID: id, Title: a.title, StartsAt: stamp(a.when), EndsAt: stamp(a.when.Add(a.length)), Attendees: a.attendees,
		IsAllDay: a.length == 0 || a.length%(24*time.Hour) == 0,
	}
	if a.length == 0 {
		event.EndsAt = stamp(a.when.AddDate(0, 0, 1))
	}
	if a.location != "" {
		event.Location = &a.location
	}
	if a.notes != "" {
		event.Notes = &a.notes
	}
	if event.Attendees == nil {
		event.Attendees = []string{}
	}
	return event
}

func midnight(year int, month time.Month, number int) time.Time {
	return time.Date(year, month, number, 0, 0, 0, 0, time.UTC)
}

// plantedAppointments are the events that happen once: those that facts are about, journeys and birthdays.
func plantedAppointments() []appointment {
	family := []string{"Sam Okafor", "Ida"}
	return []appointment{
		{
			title: "Dentist, Dr Anand", location: "Harbourside Dental, 8 Narrow Quay, Bristol", when: clock(2026, time.March, 12, 14, 30), length: time.Hour,
			notes: "The dentist appointment is on Thursday 12 March 2026 at 14:30. Come ten minutes early for the forms.",
		},
		{
			title: "Ida's birthday party", location: "Redpoint climbing hall, Bedminster", when: clock(2026, time.May, 23, 14, 0), length: 3 * time.Hour,
			notes: "Ida's birthday party is on Saturday 23 May 2026. Nine children, cake at half past three, bring socks.", attendees: family,
		},
		{
			title: "Flight to Lisbon", location: "Bristol Airport", when: clock(2026, time.March, 20, 6, 55), length: 160 * time.Minute,
			notes: "Booking QK7P2M. Passports are in the blue folder.", attendees: family,
		},
		{
			title: "Lisbon hotel: Casa do Rio", location: "Rua da Bica 41, Lisbon", when: midnight(2026, time.March, 20), length: 7 * 24 * time.Hour,
			notes: "Seven nights with breakfast. Tram 28 stops in front.", attendees: family,
		},
		{
			title: "Talk at the Oslo harbour days", location: "Room Fjord 2", when: clock(2026, time.June, 10, 10, 0), length: 45 * time.Minute,
			notes: "Cheap gauges, honest numbers. Thirty minutes and fifteen for questions.", attendees: []string{"Ingrid Solheim"},
		},
		{title: "Oslo", location: "Oslo", when: midnight(2026, time.June, 8), length: 5 * 24 * time.Hour, notes: "Harbour days. Sam has the bicycle run to school.", attendees: []string{"Jonas Keller"}},
		{
			title: "Cornwall, camping", location: "Treen Farm, near Porthcurno", when: midnight(2026, time.August, 3), length: 10 * 24 * time.Hour,
			notes: "Pitch 17, by the hedge. Tom waters the plants.", attendees: family,
		},
		{title: "Kyoto", location: "Kyoto", when: midnight(2026, time.October, 9), length: 9 * 24 * time.Hour, notes: "Staying with Yuki's aunt. Presents: tea towels and shortbread.", attendees: family},
		{title: "Hogmanay in Edinburgh", location: "Edinburgh", when: midnight(2025, time.December, 30), length: 3 * 24 * time.Hour, notes: "Train at 10:30, seats together.", attendees: family},
		{title: "Fernlink: new router", location: "At home", when: clock(2026, time.February, 9, 19, 0), length: 30 * time.Minute, notes: "Unplug the old router first, then wait for the white light."},
		{title: "Car service and MOT", location: "Ashton Garage", when: clock(2026, time.April, 28, 8, 15), length: time.Hour, notes: "Ask about the noise in third gear. Courtesy car is booked."},
		{title: "Half marathon", location: "Anchor Road, Bristol", when: clock(2026, time.September, 27, 9, 30), length: 3 * time.Hour, notes: "Number 4417. Meet Priya at the water tower.", attendees: []string{"Priya Raman"}},
		{title: "Biscuit at the vet", location: "Redcliffe Vets", when: clock(2026, time.September, 15, 11, 20), length: 30 * time.Minute, notes: "Vaccination book is in the drawer."},
		{title: "The Paper Lanterns", location: "Anchor Hall", when: clock(2026, time.June, 19, 19, 30), length: 150 * time.Minute, notes: "Tickets are on Sam's telephone.", attendees: []string{"Sam Okafor"}},
		{title: "Sam's birthday", when: midnight(2026, time.July, 11), notes: "Forty-one. Breakfast in bed, present behind the wardrobe."},
		{title: "Birgit's birthday", when: midnight(2026, time.February, 2), notes: "Ring before ten, she goes swimming afterwards."},
		{title: "Emil's birthday", when: midnight(2026, time.September, 5), notes: "Send the parcel a week before."},
		{title: "Yuki's birthday", when: midnight(2026, time.April, 16), notes: "Dinner at the noodle place."},
	}
}
