package demo

func homeTopics() []topic {
	return []topic{
		{
			label: "Bills", from: "energy", subjects: []string{"Your Brightwater bill for {month}", "Meter reading due by {date}"},
			opening: []string{"Your statement for {month} is ready."},
			details: []string{
				"You used {n:140-410} kilowatt hours of electricity and {n:90-620} of gas.",
				"We will collect {gbp:88-196} by direct debit on or after {date}.",
				"Compared with the same month last year you used {n:3-14} per cent less.",
				"Your next meter reading helps us to keep the bill exact.",
			},
			file: "pdf",
		},
		{
			label: "Bills", from: "broadband", subjects: []string{"Your Fernlink bill for {month}", "Planned work on your line, {date}"},
			opening: []string{"This is your monthly message from Fernlink."},
			details: []string{
				"The amount due is {gbp:31-39}.",
				"On {date} between one and five in the morning we replace a cabinet in your street, and your router may restart.",
				"If a light on the router stays red, unplug it for thirty seconds.",
				"Your average download speed was {n:180-240} megabits per second.",
			},
		},
		{
			label: "Bills", from: "council", subjects: []string{"Bin collection changes in {month}", "Council tax, {month} instalment"},
			opening: []string{"This is an automatic message from Bristol City Services."},
			details: []string{
				"The instalment of {gbp:148-152} is due on {date}.",
				"Recycling moves to {day} for two weeks because of the holiday.",
				"Garden waste is collected every other {day}.",
				"You can see all your letters in your account.",
			},
		},
		{
			label: "Money", from: "bank", subjects: []string{"Your statement for {month}", "A standing order has changed"},
			opening: []string{"Your {month} statement is ready to view."},
			details: []string{
				"Money in: {gbp:2600-3400}. Money out: {gbp:1900-3100}.",
				"Your standing order for rent leaves on the first working day of {next}.",
				"We will never ask for your password by mail.",
			},
		},
		{
			label: "School", from: "school", subjects: []string{"Newsletter from St Brendan's, {month}", "Class trip to {town}", "Reminder: [PE kit|reading week|school photographs]"},
			opening: []string{"Dear parents and carers,", "Dear families of Class 3,"},
			details: []string{
				"On {day} the class visits {town}, so please pack a lunch without nuts and a raincoat.",
				"The choir sings in the hall at {n:2-3}:30 in the afternoon and you are warmly invited.",
				"Please send {gbp:6-14} for the coach by {date}.",
				"We have found {n:3-11} jumpers without names, they are in the basket by the door.",
				"Reading books should be changed every {day}.",
			},
		},
		{
			label: "Family", subjects: []string{"[Sunday lunch|Lunch at ours|Visiting] in {month}", "Photographs from {town}"},
			opening: []string{
				"It has been too long since we sat down together.",
				"I was going through the photographs from {town} and thought of you.",
			},
			details: []string{
				"I can make {dish}, and there is still jam from last summer.",
				"The children asked whether the neighbour's cat can come as well.",
				"The train at {n:9-11}:{n:10-50} has a good connection, otherwise we fetch you from the station.",
				"The dog has learned to open the kitchen door, so hide the sausages.",
				"Tell me by {day}, then I can plan the shopping.",
			},
			replies: []string{
				"Yes, we would love to. We bring dessert.",
				"That {weekend} does not work for us, how about the one after?",
				"What a lovely picture. I had forgotten how windy it was.",
				"The dog sends greetings and denies everything.",
			},
			file: "png",
		},
		{
			label: "Friends", subjects: []string{"[Cinema|Film] on {day}?", "{film}"},
			opening: []string{
				"Have you seen {film} yet? It is on at the Watershed this week.",
				"I still think about {film} and need somebody to talk to.",
			},
			details: []string{
				"The late showing starts at {n:7-9}:{n:10-45} and is usually half empty.",
				"{friend} says that the ending is either brilliant or a mistake.",
				"We could eat something before, the noodle place is open again.",
				"Tickets are {gbp:8-13}, I can get them.",
			},
			replies: []string{
				"I am in. Somebody else can put the children to bed for once.",
				"I liked the music more than the film, but I would go again.",
				"Let us do {weekend} instead, I have choir.",
			},
		},
		{
			label: "Friends", subjects: []string{"Running on {weekend}", "Long run, {date}"},
			opening: []string{
				"Are you up for the towpath on {weekend}?",
				"My legs have forgiven me, so let us plan the next run.",
			},
			details: []string{
				"I thought of {n:8-17} kilometres at an easy pace.",
				"We could start at {n:7-9}:30 by the suspension bridge.",
				"There is coffee at the boathouse afterwards.",
				"If it is icy we take the park instead.",
			},
			replies: []string{
				"Yes, but slowly. I sat in a van all week.",
				"See you at the bridge. I bring the dog.",
				"My knee says no. Coffee at the boathouse, though?",
			},
		},
		{
			label: "Choir", from: "choir", subjects: []string{"Rehearsal on {day}", "Music for the [spring|summer|winter] concert"},
			opening: []string{"Dear singers,"},
			details: []string{
				"We rehearse from {n:6-7}:30 in the chapel, and please be on time for the warm-up.",
				"Altos, look at bars {n:14-60} to {n:61-90} again, the entry is early.",
				"Black folders, please, and something blue.",
				"The heating is out of order, bring a scarf.",
			},
		},
		{
			label: "Library", from: "library", subjects: []string{"Your reservation has arrived", "Due on {date}"},
			opening: []string{"A message from Bristol Libraries."},
			details: []string{
				"A book that you reserved waits for you at the Central Library until {date}.",
				"You have {n:2-7} items on loan, and they can be renewed online.",
				"There is no charge for children's books.",
			},
		},
		{
			label: "Newsletters", from: "newsletter", subjects: []string{"This week: {dish}", "What to cook in {month}"},
			opening: []string{"{month} is a month for {dish}.", "This week's letter is about patience."},
			details: []string{
				"Salt early, taste late, and do not hurry the onions.",
				"A reader from {town} writes that she adds a spoon of miso, and she is right.",
				"Count on {n:25-90} minutes, most of which you can spend reading.",
				"Leftovers keep for {n:2-4} days and taste better for it.",
			},
		},
		{
			label: "Home", from: "landlord", subjects: []string{"Gutters and windows in {month}", "Visit on {date}"},
			opening: []string{"Dear Nora,"},
			details: []string{
				"The roofer comes on {day} morning and needs to get to the back of the house.",
				"The gutters are done, the window on the landing has to wait until {next}.",
				"Thank you for telling me about the damp patch, I have asked for a quotation.",
				"There is no need to be at home.",
			},
			replies: []string{
				"Thank you, that suits us. Please ask him to close the gate because of the dog.",
			},
		},
		{
			label: "Travel", subjects: []string{"[Weekend|Two days] in {town}?", "Cottage near {town}"},
			opening: []string{
				"I found a small cottage near {town} that is free in {next}.",
				"We should get away for two days before the winter is over, or the summer, or whatever this is.",
			},
			details: []string{
				"It costs {gbp:160-320} for the weekend and dogs are welcome.",
				"There is a stove, a bad bed and a very good view.",
				"{friend} has been there and says to bring slippers.",
				"We could take the train on {day} afternoon.",
			},
			replies: []string{
				"Book it. I will explain it to the others.",
				"The children want to know whether there is a beach. I said yes, please tell me there is a beach.",
				"I cannot get away on {day}. Could we leave on the morning after?",
			},
		},
		{
			label: "Family", subjects: []string{"Birthday plans", "A birthday card for {friend}"},
			opening: []string{
				"I am collecting money for a birthday present for {friend}.",
				"What shall we do for the birthday in {next}?",
			},
			details: []string{
				"I thought of {gbp:10-20} each, but it is up to you.",
				"A cake and a walk would be enough, I think.",
				"Please do not say anything, it is a surprise.",
			},
			replies: []string{
				"Good idea, I will send you the money tonight.",
				"I can bake. The lemon one?",
			},
		},
		{
			label: "Health", from: "dentist", subjects: []string{"Time for a check-up", "We have moved to the first floor"},
			opening: []string{"A short message from your dentist."},
			details: []string{
				"It has been {n:6-9} months since we last saw you.",
				"You can book online or by telephone until half past five.",
				"Please tell us a day ahead if you cannot come.",
			},
		},
	}
}
