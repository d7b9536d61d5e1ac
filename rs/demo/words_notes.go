package demo

// A noteKind is a kind of note that returns through the year. Its texts are templates.
type noteKind struct {
	titles []string
	intro  []string
	lines  []string // some of them follow, each on a line of its own
	bullet string   // what stands before a line
	tags   []string
}

func noteKinds() []noteKind {
	return []noteKind{
		{
			titles: []string{"{project} meeting, {date}", "Notes from the {project} review"},
			intro:  []string{"Present: {one}, {other}, me.", "With {one} and {other}, forty minutes."},
			lines: []string{
				"{fragment} is the thing to solve before {harbour}.", "{one} thinks that we measure the wrong thing.", "Decision: one small step, then look again.",
				"Ask {other} for last year's numbers.", "Do not promise {date} to anybody.", "Idea: show the tide curve first and the alarms second.",
				"Risk: only {one} knows how the relay works.", "Cost is about {gbp:400-4000}, which is less than doing nothing.",
			},
			bullet: "- ", tags: []string{"work", "meeting"},
		},
		{
			titles: []string{"Shopping", "For the {weekend}", "Market list"},
			intro:  []string{"For {dish}:", "We are out of nearly everything."},
			lines: []string{
				"{n:2-8} lemons", "oats", "dog food", "red lentils", "batteries, the small ones", "flour, {n:1-3} kg", "coffee", "stamps", "apples", "soap", "candles",
				"something green",
			},
			bullet: "[ ] ", tags: []string{"home", "list"},
		},
		{
			titles: []string{"Recipe: {dish}", "{dish}, the way {friend} makes it"},
			intro:  []string{"For four, or for two and a good lunch.", "From {friend}, who never measures."},
			lines: []string{
				"Warm the oil slowly, onions first.", "Salt early.", "Add {n:2-5} cups of stock, a little at a time.", "{n:20-55} minutes, lid half open.",
				"Lemon at the end, more than you think.", "A spoon of miso if it tastes thin.", "Rest for ten minutes before anybody touches it.",
			},
			bullet: "- ", tags: []string{"cooking", "recipe"},
		},
		{
			titles: []string{"Running log, {month}", "How the legs are"},
			intro:  []string{"Plan: three runs a week, one of them long.", "A better week than the last."},
			lines: []string{
				"{day}: {n:5-9} kilometres, easy, {n:28-55} minutes.", "{weekend}: long run, {n:11-19} kilometres, tired from {n:8-11} on.", "Knee quiet.",
				"Knee not quiet.", "New shoes, still stiff.", "Wind in the face both ways, which cannot be.",
			},
			bullet: "", tags: []string{"running"},
		},
		{
			titles: []string{"Present ideas", "Birthday list, {next}", "What {friend} would like"},
			intro:  []string{"Before I forget again:", "Heard in passing, so write it down."},
			lines: []string{
				"a good torch", "a book about small harbours", "wool socks, not grey", "an afternoon without anybody asking for anything", "a plant that forgives",
				"tickets for {film}", "a knife that cuts bread", "tea from the shop in {town}",
			},
			bullet: "- ", tags: []string{"family", "presents"},
		},
		{
			titles: []string{"{town}: what to see", "Day in {town}"},
			intro:  []string{"Collected from {friend} and two old guide books.", "For a day with a child and a dog."},
			lines: []string{
				"Walk along the water before ten.", "The second bakery, not the first.", "The museum is free after three o'clock.", "Last train at {n:19-21}:{n:10-50}.",
				"The viewpoint is worth the {n:120-320} steps.", "Bring a coat in any month.", "Dogs may go everywhere except the chapel.",
			},
			bullet: "- ", tags: []string{"travel"},
		},
		{
			titles: []string{"From the book I am reading", "{film}, afterwards"},
			intro:  []string{"Wrote this down on the bus.", "I want to remember what I thought before other people tell me."},
			lines: []string{
				"The best chapter is the one in which nothing happens.", "Everyone in it is waiting for a letter.", "I would have ended one page earlier.",
				"Lend it to {friend}.", "The weather is a character, and the most honest one.", "Look up the word for the smell of rain.",
			},
			bullet: "", tags: []string{"reading"},
		},
		{
			titles: []string{"House: to do in {month}", "Things that drip"},
			intro:  []string{"Ask Mrs Pritchard first about anything with a ladder.", "In order of how much they annoy me."},
			lines: []string{
				"Bathroom tap.", "Window on the landing, wait for the roofer.", "Move the router away from the fish tank.", "Descale the kettle.", "Send the plumber's invoice on.",
				"Oil the gate.", "Sort the drawer that nobody opens.", "Paint, if there is a dry {weekend}.",
			},
			bullet: "[ ] ", tags: []string{"home"},
		},
		{
			titles: []string{"Choir: what to practise", "Words for the {month} concert"},
			intro:  []string{"From the rehearsal on {day}.", "Sing it slowly three times before singing it fast once."},
			lines: []string{
				"Bars {n:14-40} to {n:41-80}, breathe later.", "Vowels further forward.", "Watch the conductor at the turn.", "Do not sing louder when unsure.",
				"Learn the second verse by heart.",
			},
			bullet: "- ", tags: []string{"choir"},
		},
		{
			titles: []string{"Idea: {fragment}", "What if, {project}"},
			intro:  []string{"Half awake, so judge it later.", "On the train back from {harbour}."},
			lines: []string{
				"Send less, but say what is missing.", "A gauge could ask its neighbour before it raises an alarm.", "Let the pilot draw the curve that she expects.",
				"The cheapest part of the box is the one that fails.", "Try it on one pier for {n:3-9} weeks.", "Who would be worse off? Ask them first.",
			},
			bullet: "- ", tags: []string{"work", "ideas"},
		},
	}
}
