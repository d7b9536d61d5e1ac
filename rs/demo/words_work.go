package demo

// A topic is what a conversation by mail is about, with the sentences that people may say about it.
type topic struct {
	label    string   // the label that the mailbox files it under
	from     string   // "" is a colleague or a friend, "customer" a customer, anything else the key of an office
	subjects []string // templates, as are all below
	opening  []string
	details  []string // true in any order
	replies  []string // none: nobody answers
	file     string   // kind of attachment that the first message may carry
}

func workTopics() []topic {
	return []topic{
		{
			label: "Projects", subjects: []string{"{project}: [status|where we are|week in review]", "{project} status for {month}"},
			opening: []string{
				"Here is where {project} stands at the end of the week.",
				"A short note on {project} before the steering call on {day}.",
			},
			details: []string{
				"{one} finished the [migration script|load test|settings page] and it has been running in staging [since Tuesday|for three days] without trouble.",
				"We are still waiting for the harbour master in {harbour} to confirm the mounting point.",
				"The open question is {fragment}: {other} thinks it needs [a week|two more days], I am [less sure|more hopeful].",
				"Of the {n:9-24} tickets in the milestone, {n:2-8} are left, and only one of them worries me.",
				"Battery life in the field is now {n:14-29} days, up from {n:9-13}.",
			},
			replies: []string{
				"Thanks, that is clearer than the board. I will take {fragment} with {other} tomorrow.",
				"Good progress. Can we move the demo to {day} so that {one} can show the staging numbers?",
				"I read this on the train. Nothing to add except that {harbour} called again about the date.",
			},
			file: "csv",
		},
		{
			label: "Finance", subjects: []string{"Invoice TW-{number} for {harbour}", "{month} invoice run", "Question about invoice TW-{number}"},
			opening: []string{
				"Could you check the hours on the invoice for {harbour} before I send it out?",
				"The invoice for {harbour} is ready except for the travel costs.",
			},
			details: []string{
				"I have {n:12-48} hours down for installation and {n:4-11} for support.",
				"The purchase order allows {gbp:2000-9000} in total, so we are [well inside|just under] the limit.",
				"They pay within thirty days if the order number is on the first page.",
				"Please answer by {day}, because accounts close on the last working day of {month}.",
			},
			replies: []string{
				"The hours are right. Please add the ferry ticket, {gbp:40-120}, as travel.",
				"Two of those support hours belong to {project}, the rest is fine to invoice.",
				"Sent. I will chase the invoice if nothing has arrived by {date}.",
			},
			file: "pdf",
		},
		{
			label: "Projects", subjects: []string{"Design review: {fragment}", "Review notes on {fragment} ({project})"},
			opening: []string{
				"I have put the new sketches for {fragment} in the shared folder.",
				"Following up on the design review, here is what we agreed on {fragment}.",
			},
			details: []string{
				"The harbour crew reads the screen in bright sun and with gloves on, so the [contrast|button size] matters more than anything else.",
				"{one} would like the tide curve to be the first thing that one sees.",
				"We dropped the second chart because nobody in the {harbour} interviews could say what it meant.",
				"I kept the old colours for the alarms: people have learned them.",
			},
			replies: []string{
				"Much better than the last round. The only thing I would change is the label under the curve.",
				"I showed it to {other} and we both like the second version.",
				"Could you export it for the small display as well? {harbour} still has the old units.",
			},
			file: "png",
		},
		{
			label: "Support", from: "customer", subjects: []string{"Gauge at berth {n:2-19} shows no data", "Readings from [the north pier|the lock|berth four] look wrong"},
			opening: []string{
				"Since [this morning|last night|yesterday at noon] one of our gauges has [gone quiet|been reporting the same value].",
				"The readings do not agree with our own staff gauge, and the pilots have noticed.",
			},
			details: []string{
				"The difference is about {n:8-35} centimetres at high water.",
				"We restarted the unit twice and checked the antenna cable.",
				"It would help us to know whether somebody has to go out on the pontoon.",
				"The weather has been [calm|rough|foggy], in case that matters.",
			},
			replies: []string{
				"Thank you for the quick answer. After the firmware update the values are [plausible|right] again.",
				"Our technician found water in the connector. A photograph is on its way.",
				"I can see the gauge again on the dashboard, so we can close this.",
			},
		},
		{
			label: "People", subjects: []string{"Interview with the [firmware|support|design] candidate", "Feedback on {day}'s candidate"},
			opening: []string{
				"We are meeting the next candidate on {day} at {n:10-15}:30, and I would like you to take the technical half.",
				"Could you send me your impressions of the candidate while they are fresh?",
			},
			details: []string{
				"The exercise is the one with the noisy tide curve.",
				"{one} will ask about working with customers, so we do not have to.",
				"What stood out for me was how calmly the candidate said that they did not know.",
				"Please keep it to forty-five minutes, they have a train to catch.",
			},
			replies: []string{
				"I would hire them. Strong on testing, honest about what they have not done yet.",
				"I am free then. I will bring the printed curve.",
				"My notes are in the usual folder. In short: yes, for {project}.",
			},
		},
		{
			label: "Projects", subjects: []string{"Field trip to {harbour}", "Packing for the {harbour} installation"},
			opening: []string{
				"The installation in {harbour} is planned for the week of {date}.",
				"I have booked the van for {harbour} and we leave on {day} at {n:6-8}:15.",
			},
			details: []string{
				"Please bring the [long ladder|spare antenna|torque wrench], ours is still at the last site.",
				"High water is at {n:3-11}:{n:10-55}, so we have about four hours on the lower bracket.",
				"{one} will stay at the office and watch the data come in.",
				"The harbour office wants a method statement {n:3-5} days ahead.",
			},
			replies: []string{
				"I can drive. Is there room for the Kestrel case in the back?",
				"The method statement is attached to the ticket. They have already signed it.",
				"Weather looks fine so far, I will check again on the evening before.",
			},
			file: "ics",
		},
		{
			label: "Projects", subjects: []string{"Budget for {quarter}", "{project} budget, second look"},
			opening: []string{
				"I went through the {quarter} budget line by line last night.",
				"Before I send the budget upstairs, please look at the {project} lines.",
			},
			details: []string{
				"Hosting came to {gbp:1800-3900}, which is {n:4-15} per cent more than planned.",
				"We have {gbp:3000-8000} left for prototypes, enough for one more round of boards.",
				"Travel is the line that I cannot explain yet: {harbour} alone took a third of it.",
				"If we move the cellular plan to the new carrier we save about {gbp:90-240} a month.",
			},
			replies: []string{
				"The hosting line includes the old cluster. It goes away in {next}.",
				"Fine with me. I would rather cut travel than prototypes.",
				"Looks right. {other} has the receipts for {harbour} if anybody asks.",
			},
			file: "csv",
		},
		{
			label: "Meetings", subjects: []string{"Minutes: {project} weekly", "Minutes of {day}'s meeting"},
			opening: []string{
				"Minutes of today's meeting, shorter than usual because we were.",
				"These are the decisions from the {project} weekly.",
			},
			details: []string{
				"Decided: we ship {fragment} behind a switch and turn it on for {harbour} first.",
				"{one} writes to the customer, {other} prepares the rollback.",
				"Not decided: whether the old units get the new firmware at all.",
				"Next meeting on {day}, same time, and please bring one risk each.",
			},
			replies: []string{
				"One correction: it was {other} who offered to write to the customer.",
				"Thanks for writing this down. I have turned the decisions into tickets.",
			},
			file: "txt",
		},
		{
			label: "Alerts", from: "build", subjects: []string{"[Passed|Failed|Passed]: {project} main, build {number}"},
			opening: []string{"Build {number} of {project} on main has finished after {n:4-17} minutes."},
			details: []string{
				"{n:380-920} tests ran, {n:1-6} were skipped.",
				"The last change was by {one}: \"[Tidy|Fix|Simplify] {fragment}\".",
				"Coverage is {n:71-89} per cent, unchanged since the previous build.",
			},
		},
		{
			label: "Alerts", from: "monitor", subjects: []string{"{harbour}: gauge offline for {n:12-58} minutes", "Daily report for {harbour}"},
			opening: []string{"This is an automatic message about the station in {harbour}."},
			details: []string{
				"Readings received in the last day: {n:1200-1440} of 1440.",
				"The battery stands at {n:31-97} per cent and the signal at minus {n:64-99} decibels.",
				"The largest gap was {n:3-58} minutes, between two and three in the morning.",
				"The water temperature was {n:6-18} degrees.",
			},
		},
		{
			label: "Travel", from: "travel", subjects: []string{"Your train to {town}, {date}", "Expenses for {month} are due"},
			opening: []string{"This is a reminder from the travel desk."},
			details: []string{
				"Please hand in receipts by the last Friday of {month}.",
				"Seat {n:11-68} in coach {n:1-9} is reserved in your name.",
				"Meals are refunded up to {gbp:25-40} a day.",
				"Tickets can be changed free of charge until the evening before.",
			},
		},
		{
			label: "People", subjects: []string{"Lunch on {day}?", "Cake for {one}'s last week of probation", "Team day in {town}"},
			opening: []string{
				"I would like to get everybody round one table again.",
				"A small thing that is not about work, for once.",
			},
			details: []string{
				"The place by the bridge does a good {dish}.",
				"If it rains we stay in the office and order something.",
				"Please tell me by {day} whether you can come.",
				"{other} does not eat gluten, I have already told the kitchen.",
			},
			replies: []string{
				"Count me in.",
				"I would love to, but {day} is my turn to fetch the children from school. Next time.",
				"Yes please, and I can bring cardamom buns.",
			},
		},
		{
			label: "Security", subjects: []string{"Please rotate the keys for {project}", "Access review for {quarter}"},
			opening: []string{
				"It is time for the quarterly access review.",
				"We found an old deploy key for {project} that nobody remembers making.",
			},
			details: []string{
				"There are {n:3-14} accounts without a second factor, two of them are ours.",
				"I removed everybody who left before {month}.",
				"Nothing was misused as far as the logs go back, which is {n:60-180} days.",
				"The new key is in the vault under the usual name.",
			},
			replies: []string{
				"Done, and I deleted the old one from the build machine too.",
				"I still need mine for the simulator in {harbour}. Please keep it until {date}.",
			},
		},
	}
}

// supportAnswers are what Nora writes to customers with a gauge in trouble.
func supportAnswers() []string {
	return []string{
		"I am sorry about that. The gauge lost its time signal, and I have restarted it from here. Could you check the reading in an hour?",
		"Thank you for the report. The antenna is weak, so I have sent it the newer firmware, which listens for longer.",
		"We can see the gap too. {one} is looking at the raw data and I will write again before {day}.",
		"No need to go out on the pontoon. The reference level was wrong after the last service, and it is corrected now.",
	}
}

// closings end a letter.
func closings() []string {
	return []string{"Best", "Thanks", "Many thanks", "All the best", "Talk soon", "Cheers", "Best wishes", "See you on {day}"}
}
