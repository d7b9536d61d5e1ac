package demo

// A channel is a room of the team's chat, with what people begin to talk about there and what others answer.
type channel struct {
	id, name, purpose string
	archived          bool
	openers, answers  []string
}

func channels() []channel {
	return []channel{
		{
			id: "C01", name: "general", purpose: "Everything that concerns all of us",
			openers: []string{
				"Reminder: the office is [closed on {day}|open late on {day}].",
				"Please welcome the new apprentice in the workshop, starting on {date}.",
				"The {month} numbers are on the shared drive, the short version is: {n:2-14} new gauges.",
				"Town hall moves to {day} at {n:10-15}:00, because {one} is in {harbour}.",
				"Whoever has the key to the workshop, please bring it back.",
				"There is an invoice for {n:2-9} umbrellas on my desk. Whose are they?",
				"We passed the safety audit. Thank you, {one}, for all the labels.",
			},
			answers: []string{"Noted, thank you.", "Will there be biscuits?", "I can take the notes this time.", "Is that in the calendar?"},
		},
		{
			id: "C02", name: "harbour", purpose: "The Harbour gateway, its firmware and its moods",
			openers: []string{
				"The gateway in {harbour} rebooted {n:2-6} times last night, always at the same minute.",
				"Firmware {n:3-5}.{n:0-12} is on the staging units. Please look at {fragment}.",
				"I have a graph of {fragment} that I do not believe. Can somebody look at it with me?",
				"{harbour} has agreed to the new mounting, we can order the brackets.",
				"Half of the packets from {harbour} arrive twice. Harmless, but I want to know why.",
				"The radio test on the pier went well: {n:4-11} kilometres without a repeater.",
			},
			answers: []string{
				"Could it be {fragment} again?", "Try it with the retries turned off.", "I saw the same in {harbour} a month ago.",
				"That is the watchdog. It is doing its job, sadly.",
			},
		},
		{
			id: "C03", name: "lantern", purpose: "The dashboard that pilots look at",
			openers: []string{
				"The tide curve now loads in {n:180-640} milliseconds on the old tablet.",
				"A pilot in {harbour} asked for bigger numbers. I think she is right.",
				"Who knows why {fragment} are grey on the small display?",
				"The translation for {harbour} is in. Please check that nothing is cut off.",
				"I have removed the third menu. Nobody has noticed, which was the point.",
				"Screens for the night mode are up for review.",
			},
			answers: []string{"Looks good on mine.", "Could we keep the old colour for alarms?", "The label wraps on the small display.", "Merged, it goes out on {day}."},
		},
		{
			id: "C04", name: "incidents", purpose: "What is broken, who is on it, and when it is mended",
			openers: []string{
				"{harbour} is silent since {n:4-23}:{n:10-59}. I am looking.",
				"Alarm storm from {harbour}: {n:40-310} messages in an hour, all from one gauge.",
				"The queue is {n:3-25} minutes behind. No data lost so far.",
				"False alarm in {harbour}, a gull sat on the sensor.",
				"The database is slow because of the nightly export. I have moved it to four in the morning.",
			},
			answers: []string{"I am on it.", "It recovered by itself, which I like least.", "Status page is updated.", "Writing it up for {day}."},
		},
		{
			id: "C05", name: "random", purpose: "Dogs, films, tides",
			openers: []string{
				"Has anybody seen {film}? No spoilers, please.",
				"I made too much {dish}. It is in the fridge, with a label, please eat it.",
				"Biscuit came to the office and has been promoted.",
				"There is a seal in the dock! Second window from the left.",
				"Spring tide at {n:6-9}:{n:10-55} tomorrow, the steps will be under water.",
				"Selling a bicycle, {n:3-8} years old, loved, {gbp:60-180}.",
				"It is {other}'s birthday on {day}. There is a card on my desk, please sign it.",
			},
			answers: []string{"Only if there is cake.", "I would have been promoted sooner with those ears.", "The ending is better than the middle.", "I am bringing a camera."},
		},
		{
			id: "C06", name: "lisbon-offsite", purpose: "Three days in Lisbon in March: plans, trains, custard tarts", archived: true,
			openers: []string{
				"Who shares a taxi from the airport on {day}?",
				"The workshop room has a terrace, so bring a hat.",
				"I have put the plan for the second day in the folder: {project} in the morning, boats in the afternoon.",
				"The weather in Lisbon says {n:15-22} degrees and a little wind.",
				"Please tell me what you do not eat, dinner is for {n:8-11}.",
			},
			answers: []string{"I arrive two days early with the family.", "No shellfish for me.", "Can we see the tide gauge in Cascais?", "I will bring the projector."},
		},
		{
			id: "C07", name: "kestrel-field", purpose: "Testing Kestrel where it is wet",
			openers: []string{
				"Unit {n:11-68} survived the night in {harbour}: {n:4-19} centimetres of water in the box, and still sending.",
				"The new gasket holds. The old one does not, and we have {n:30-90} of them.",
				"Battery at {n:40-88} per cent after {n:9-27} days, so {fragment} is fixed.",
				"Please label the boxes before they go to {harbour}, I opened four to find one.",
				"Calibration is off by {n:2-9} millimetres on the second batch.",
			},
			answers: []string{"Which gasket, the black one?", "I have spare boxes in the van.", "Photographs, please.", "Added to the test plan."},
		},
		{
			id: "C08", name: "lunch", purpose: "What, where, and is there dessert",
			openers: []string{
				"Today: {dish} at the place by the bridge. Leaving at {n:12-13}:15.",
				"Is anybody else freezing? Soup at noon?",
				"The van with the flatbread is back on {day}.",
				"I have {n:2-5} portions of {dish} to give away.",
				"Lunch outside? There is half an hour of sun.",
			},
			answers: []string{"Count me in.", "Two minutes.", "I have a call until half past, please bring me one.", "Dessert is on me."},
		},
	}
}

// chatAnswers are what people say anywhere.
func chatAnswers() []string {
	return []string{
		"Yes.", "On my way.", "Thanks, {one}!", "Let me check and come back to you.", "I would wait until {day}.", "{other} knows more about this than I do.",
		"Can we talk about it at the stand-up?", "That explains a lot.", "Nice 👏", "I will write a ticket.", "Done.", "I am not sure that I follow, can you say it in other words?",
		"Ha.", "Same here.", "Give me ten minutes.",
	}
}
