package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// plantedConversations are the letters that the year's facts and its special cases need, word for word.
func (m mailbox) plantedConversations() [][]letter {
	var conversations [][]letter
	if m.connectionID == workMail {
		conversations = m.plantedAtWork()
	} else {
		conversations = append(m.plantedAtHome(), m.receipts()...)
	}
	return append(conversations, m.sentToBoth()...)
}

func (m mailbox) letterFrom(from person, when time.Time, label, subject, body string) letter {
	return letter{from: from, to: []person{m.owner}, when: when, subject: subject, body: body, labels: []string{label}}
}

func (m mailbox) plantedAtHome() [][]letter {
	var conversations [][]letter
	plant := func(from person, when time.Time, label, subject, body string, files ...string) {
		planted := m.letterFrom(from, when, label, subject, body)
		for _, kind := range files {
			planted.files = append(planted.files, makeFile(m.random, kind, subject, body, when))
		}
		conversations = append(conversations, []letter{planted})
	}
	plant(office("dentist"), clock(2026, time.February, 20, 10, 12), "Health", "Your dentist appointment is confirmed",
		"Dear Nora,\n\nyour dentist appointment with Dr Anand is on Thursday 12 March 2026 at 14:30. Please come ten minutes early, because our forms "+
			"have changed.\n\nHarbourside Dental, 8 Narrow Quay, Bristol", "ics")
	plant(office("airline"), clock(2026, time.January, 18, 20, 41), "Travel", "Booking QK7P2M: your Lisbon flights",
		"Thank you for booking your Lisbon flights. The total is £412.60 for three passengers.\n\nOut: Friday 20 March 2026, Bristol 06:55, Lisbon 09:35.\n"+
			"Back: Friday 27 March 2026, Lisbon 18:20, Bristol 21:00.\n\nOne cabin bag each is included.\n\nGannet Air", "pdf", "ics")
	plant(office("hotel"), clock(2026, time.January, 19, 9, 3), "Travel", "Your room in Lisbon",
		"Dear Nora,\n\nwe look forward to having you, Sam and Ida with us for seven nights from 20 March. Breakfast is served until half past ten, and a cot "+
			"is not needed, as you wrote. The tram stops in front of the house.\n\nCasa do Rio")
	plant(office("plumber"), clock(2026, time.January, 9, 17, 25), "Home", "Boiler repair today",
		"Hello Nora,\n\nthe boiler repair is done and it is going again. I replaced the diverter valve, which had seized, and bled the radiators upstairs. The invoice for £184.00 "+
			"goes to Mrs Pritchard as agreed.\n\nColin Marsh", "png")
	plant(office("insurance"), clock(2026, time.April, 7, 8, 30), "Bills", "Your car insurance renewal",
		"Dear Ms Lindqvist,\n\nyour car insurance renewal is due on 1 May 2026. The price for the coming year is £386.40, with the same cover as before. You "+
			"need not do anything to renew.\n\nLarkfield Insurance", "pdf")
	plant(office("landlord"), clock(2026, time.August, 1, 18, 2), "Home", "The spare key",
		"Dear Nora,\n\nthe spare key is under the third flowerpot by the shed, in case Tom comes to water the plants while you are in Cornwall. Please put it "+
			"back afterwards.\n\nMargaret Pritchard")
	plant(friends()[5], clock(2026, time.May, 3, 21, 15), "Friends", "The book I told you about",
		"Hi Nora,\n\nthe book I told you about is called The Lighthouse Almanac. Start with the chapter on fog. I can lend you mine when we meet for our next "+
			"Japanese lesson.\n\nYuki")
	plant(office("vet"), clock(2026, time.September, 15, 12, 48), "Health", "Biscuit's check-up",
		"Dear Nora,\n\nBiscuit was very brave at the check-up. He weighs 14.2 kg now, which is a little more than he should, and his teeth are fine. The next "+
			"vaccination is due in a year.\n\nRedcliffe Vets")
	plant(office("broadband"), clock(2026, time.February, 3, 11, 20), "Home", "Your new router is on its way",
		"Dear Nora,\n\nyour old router will stop working in March, so a new one comes by post within five days. Plug it in, wait for the white light, and use "+
			"the network name and password from the sticker.\n\nFernlink Broadband")
	conversations = append(conversations, []letter{m.taxScans()}, []letter{m.panorama()})
	return conversations
}

// taxScans is a letter with more attachments than a relation shows by default.
func (m mailbox) taxScans() letter {
	when := clock(2026, time.January, 25, 16, 5)
	scans := letter{
		from: m.owner, to: []person{m.owner}, when: when, labels: []string{"Money"}, subject: "Scans for the tax return",
		body: "All twelve pay slips in one place, so that I need not look for them again. The return is due on 31 January.",
	}
	for month := time.January; month <= time.December; month++ {
		title := fmt.Sprintf("Pay slip %s 2025", month)
		text := "Tidewater Ltd, pay slip for Nora Lindqvist, " + month.String() + " 2025. Gross pay £3,950.00, net pay £" + strconv.Itoa(3010+int(month)) + ".00."
		scans.files = append(scans.files, makeFile(m.random, "pdf", title, text, when))
	}
	return scans
}

// panorama is a letter with an attachment that was never fetched.
func (m mailbox) panorama() letter {
	planted := m.letterFrom(friends()[2], clock(2026, time.August, 14, 22, 10), "Family", "The whole bay in one picture",
		"Hi Nora,\n\nhere is the panorama from the cliff. It is enormous, so look at it on the big screen.\n\nEmil")
	planted.files = []attachedFile{{name: "cornwall-panorama.tif", contentType: "image/tiff", unfetched: 48_211_904}}
	return planted
}

func (m mailbox) plantedAtWork() [][]letter {
	invoice := m.letterFrom(colleagues()[3], clock(2026, time.April, 30, 15, 40), "Finance", "Invoice TW-2041 to Porto Maritime",
		"Hi Nora,\n\ninvoice TW-2041 to Porto Maritime is out. The total is €18,750.00 for six gauges and two days on site, payable by 30 May. The copy is "+
			"attached for your file.\n\nAisha")
	invoice.files = []attachedFile{
		makeFile(m.random, "pdf", "Invoice TW-2041", "Tidewater Ltd to Porto Maritime. Six tide gauges, two days on site. Total: €18,750.00. Payable by 30 May 2026.", invoice.when),
		makeFile(m.random, "csv", "Invoice TW-2041 readings", "", invoice.when),
	}
	talk := m.letterFrom(customers()[1], clock(2026, time.May, 12, 10, 55), "Projects", "Programme of the Oslo harbour days",
		"Dear Nora,\n\nthe programme is final. Your talk on cheap gauges is on Wednesday 10 June 2026 at 11:00 in Room Fjord 2, with a quarter of an hour for "+
			"questions. Please send me your slides a week before.\n\nIngrid")
	allowance := m.letterFrom(office("travel"), clock(2026, time.May, 26, 9, 0), "Travel", "Oslo: what we pay and what we do not",
		"Hello Nora,\n\nfor Oslo the daily allowance is 640 kroner. The airport train is paid, the taxi is not. Keep the receipts, also for the small things."+
			"\n\nTidewater Travel Desk")
	pension := m.letterFrom(colleagues()[3], clock(2026, time.October, 6, 14, 20), "Finance", "Pension contribution from January",
		"Hi Nora,\n\nas you asked, your pension contribution rises to 7 per cent from January. You need not sign anything.\n\nAisha")
	return [][]letter{{invoice}, {talk}, {allowance}, {pension}}
}

// receipts are the letters that shops send: what they say is what the orders say.
func (m mailbox) receipts() [][]letter {
	var conversations [][]letter
	for index, bought := range yearOrders() {
		if index%2 == 1 && !bought.planted {
			continue
		}
		var lines strings.Builder
		for _, item := range bought.items {
			fmt.Fprintf(&lines, "%d × %s, %s each\n", item.quantity, item.name, price(item.pence, bought.currency))
		}
		body := fmt.Sprintf("Thank you for your order %s of %s.\n\n%s\nTotal: %s\n\n%s",
			bought.id, bought.when.Format("2 January 2006"), lines.String(), price(bought.totalPence(), bought.currency), bought.merchant)
		sender := person{bought.merchant, "orders@" + fileName(bought.merchant) + ".example"}
		receipt := m.letterFrom(sender, bought.when.Add(4*time.Minute), "Receipts", "Your order "+bought.id+" from "+bought.merchant, body)
		if index%6 == 0 {
			receipt.files = []attachedFile{makeFile(m.random, "pdf", "Receipt "+bought.id, body, bought.when)}
		}
		conversations = append(conversations, []letter{receipt})
	}
	return conversations
}

// sentToBoth are letters that Nora sent to both of her addresses. They have the same ids in both mailboxes, as messages that are imported
// twice do, so that a record id alone does not name them.
func (m mailbox) sentToBoth() [][]letter {
	texts := []struct {
		when          time.Time
		subject, body string
	}{
		{clock(2025, time.December, 19, 16, 30), "Keys and codes over Christmas", "Note to both of me: the office is closed until 5 January and the alarm contract is with the porter."},
		{clock(2026, time.March, 19, 17, 45), "Out of office from tomorrow", "Away until 30 March. Marcus has the pager, Hannah has the customers, and the slides are on the shared drive."},
		{clock(2026, time.June, 7, 20, 5), "Boarding pass for Oslo", "Seat 14A, gate opens at 06:10, terminal one. The return is on Friday evening."},
		{clock(2026, time.October, 30, 12, 0), "Phone numbers for the new year", "A copy of the list, in case the telephone goes into the harbour again."},
	}
	conversations := make([][]letter, 0, len(texts))
	for index, text := range texts {
		label := "SELF"
		conversations = append(conversations, []letter{{
			id: "dup-" + strconv.Itoa(index+1), from: m.owner, to: []person{noraAtWork(), noraAtHome()}, when: text.when,
			subject: text.subject, body: text.body, labels: []string{label},
		}})
	}
	return conversations
}
