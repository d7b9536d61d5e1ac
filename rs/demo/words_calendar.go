package demo

import "time"

// A habit is an appointment that returns.
type habit struct {
	title, location    string
	weekday            time.Weekday
	hour, minute       int
	length             time.Duration
	everyWeeks, offset int
	attendees, notes   []string // one of the notes each time
}

func habits() []habit {
	return []habit{
		{
			"Team stand-up", "Harbour room", time.Monday, 9, 30, 15 * time.Minute, 1, 0, []string{"Marcus Webb", "Jonas Keller", "Grace Liu"},
			[]string{"", "{one} is in {harbour}.", "Bring news of {fragment}.", "Short, because of the {project} demo."},
		},
		{
			"One-to-one with Marcus", "Marcus's office", time.Tuesday, 14, 0, 45 * time.Minute, 2, 0, []string{"Marcus Webb"},
			[]string{"Talk about {project} and holidays.", "Ask about the budget for {quarter}.", "Training course, yes or no?"},
		},
		{
			"Project review", "Lantern room", time.Wednesday, 11, 0, time.Hour, 1, 0, []string{"Ines Duarte", "Owen Price", "Rosa Martín"},
			[]string{"{project}: open questions on {fragment}.", "{harbour} is first on the list.", "Decide who goes to {harbour}."},
		},
		{
			"Sprint planning", "Harbour room", time.Thursday, 10, 0, 90 * time.Minute, 2, 1, []string{"Marcus Webb", "Dmitri Sokolov", "Hannah Cole"},
			[]string{"{n:14-31} tickets, {n:3-6} people.", "Leave room for {project}."},
		},
		{
			"Swimming, Ida", "Bristol South pool", time.Saturday, 10, 15, 45 * time.Minute, 1, 0, []string{"Ida"},
			[]string{"", "Goggles!", "Sam takes her today.", "Badge day."},
		},
		{
			"Choir", "Chapel, Hotwells", time.Thursday, 18, 45, 2 * time.Hour, 1, 0, nil,
			[]string{"", "Black folder.", "Altos half an hour early.", "Bring {n:2-6} pounds for tea."},
		},
		{
			"Run with Priya", "Suspension bridge", time.Sunday, 8, 30, 90 * time.Minute, 1, 0, []string{"Priya Raman"},
			[]string{"{n:8-17} kilometres, easy.", "Towpath, unless it is icy.", "Coffee at the boathouse afterwards."},
		},
		{
			"Japanese lesson", "At Yuki's", time.Monday, 19, 0, time.Hour, 1, 0, []string{"Yuki Tanaka"},
			[]string{"Homework: ten sentences about {dish}.", "Read the diary aloud.", "Counting words, again."},
		},
		{
			"Arabic with Leila", "Café by the library", time.Wednesday, 17, 30, time.Hour, 2, 0, []string{"Leila Haddad"},
			[]string{"Bring the workbook.", "Verbs of motion.", "Read one page without stopping."},
		},
		{
			"Book club", "At Chloé's", time.Friday, 19, 30, 150 * time.Minute, 4, 2, []string{"Chloé Marchand", "Tom Hale"},
			[]string{"I bring {dish}.", "Finish the last three chapters.", "Choose the next book."},
		},
		{
			"Recycling out", "", time.Tuesday, 20, 0, 15 * time.Minute, 2, 1, nil,
			[]string{"Cardboard too.", "Garden waste as well."},
		},
	}
}

// An outing is an appointment that happens now and then.
type outing struct {
	title, location, notes string // templates
	length                 time.Duration
}

func outings() []outing {
	return []outing{
		{"Coffee with {friend}", "Boathouse", "[Give back the book.|Ask about {town}.|Long overdue.]", time.Hour},
		{"{film}", "Watershed cinema", "Tickets are {gbp:8-13} each.", 2 * time.Hour},
		{"Dinner: {dish}", "At home", "{friend} brings [dessert|wine|the board game].", 3 * time.Hour},
		{"Day trip to {town}", "{town}", "Train at {n:8-10}:{n:10-50}, sandwiches.", 8 * time.Hour},
		{"Parents' evening", "St Brendan's Primary", "Ask about [reading|maths|the seat by the window].", 30 * time.Minute},
		{"Haircut", "Gloucester Road", "Not too short.", 45 * time.Minute},
		{"Call with {friend}", "", "[Holiday plans.|Just to talk.|About the birthday present.]", time.Hour},
		{"Walk with Biscuit and {friend}", "Leigh Woods", "Boots.", 2 * time.Hour},
	}
}
