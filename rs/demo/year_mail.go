package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// A letter is one mail before it is split over the streams messages, message_bodies and attachments.
type letter struct {
	id            string
	from          person
	to, cc        []person
	when          time.Time
	subject, body string
	labels        []string
	files         []attachedFile
}

type mailAddress struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

type mailMessage struct {
	ID             string        `json:"id"`
	ThreadID       string        `json:"thread_id"`
	Subject        string        `json:"subject"`
	FromName       string        `json:"from_name"`
	FromEmail      string        `json:"from_email"`
	To             []mailAddress `json:"to"`
	Cc             []mailAddress `json:"cc"`
	ReceivedAt     string        `json:"received_at"`
	Labels         []string      `json:"labels"`
	IsSeen         bool          `json:"is_seen"`
	IsFlagged      bool          `json:"is_flagged"`
	HasAttachments bool          `json:"has_attachments"`
	SizeBytes      int           `json:"size_bytes"`
	Snippet        string        `json:"snippet"`
}

type mailBody struct {
	ID        string `json:"id"`
	MessageID string `json:"message_id"`
	BodyText  string `json:"body_text"`
	Charset   string `json:"charset"`
}

type mailThread struct {
	ID                string   `json:"id"`
	Subject           string   `json:"subject"`
	ParticipantEmails []string `json:"participant_emails"`
	MessageCount      int      `json:"message_count"`
	FirstMessageAt    string   `json:"first_message_at"`
	LastMessageAt     string   `json:"last_message_at"`
	UnreadCount       int      `json:"unread_count"`
	HasAttachments    bool     `json:"has_attachments"`
}

// A mailbox is one of Nora's two accounts.
type mailbox struct {
	connectionID string
	prefix       string // of message and thread ids
	owner        person
	others       []person
	topics       []topic
	times        []time.Time // when conversations begin
	random       *rand.Rand
}

func (b *yearBuilder) addMail() {
	for _, account := range []mailbox{workMailbox(source(1)), personalMailbox(source(2))} {
		conversations := account.plantedConversations()
		for _, when := range account.times {
			conversations = append(conversations, account.converse(when))
		}
		slices.SortStableFunc(conversations, func(left, right []letter) int { return left[0].when.Compare(right[0].when) })
		messages := 0
		for index, conversation := range conversations {
			for position := range conversation {
				if messages++; conversation[position].id == "" {
					conversation[position].id = fmt.Sprintf("%s-m%04d", account.prefix, messages)
				}
			}
			threadID := fmt.Sprintf("%s-t%04d", account.prefix, index+1)
			if strings.HasPrefix(conversation[0].id, "dup-") {
				threadID = strings.Replace(conversation[0].id, "dup-", "dup-t", 1)
			}
			b.addThread(account, threadID, conversation)
		}
	}
}

func workMailbox(random *rand.Rand) mailbox {
	return mailbox{
		connectionID: workMail, prefix: "w", owner: noraAtWork(), others: colleagues(), topics: workTopics(),
		times: sortedTimes(random, 330, officeTime), random: random,
	}
}

func personalMailbox(random *rand.Rand) mailbox {
	return mailbox{
		connectionID: personalMail, prefix: "p", owner: noraAtHome(), others: friends(), topics: homeTopics(),
		times: sortedTimes(random, 300, wakingTime), random: random,
	}
}

// converse tells one conversation: a letter, and what was answered.
func (m mailbox) converse(when time.Time) []letter {
	subject := pick(m.random, m.topics)
	sender, receivers := m.correspondents(subject.from)
	tale := newTeller(m.random, when, append(receivers, sender)...)
	title := tale.tell(pick(m.random, subject.subjects))
	details := sample(m.random, subject.details, 2+m.random.IntN(3))
	first := letter{
		from: sender, to: receivers, when: when, subject: title, labels: []string{subject.label},
		body: tale.tell(pick(m.random, subject.opening) + " " + strings.Join(details, " ")),
	}
	if m.connectionID == workMail && len(subject.replies) > 0 && m.random.IntN(4) == 0 {
		if third := pick(m.random, m.others); third != first.from && third != first.to[0] {
			first.cc = []person{third}
		}
	}
	if subject.file != "" && m.random.IntN(3) == 0 {
		first.files = []attachedFile{makeFile(m.random, subject.file, title, first.body, when)}
	}
	letters := []letter{m.dress(first, tale)}
	replies := sample(m.random, subject.replies, m.random.IntN(len(subject.replies)+1))
	if subject.from == "customer" {
		// A customer's second letter answers Nora's, so hers comes between.
		replies = slices.Insert(replies, 0, pick(m.random, supportAnswers()))
	}
	for index, reply := range replies {
		before := letters[index]
		when := before.when.Add(time.Duration(18+m.random.IntN(1500)) * time.Minute)
		if !when.Before(yearEnd()) {
			break
		}
		letters = append(letters, m.dress(letter{
			when: when, from: before.to[0], to: []person{before.from}, cc: before.cc, subject: "Re: " + title, labels: before.labels, body: tale.tell(reply),
		}, tale))
	}
	return letters
}

// correspondents settles who writes the first letter of a topic, and to whom.
func (m mailbox) correspondents(key string) (person, []person) {
	switch key {
	case "customer":
		return pick(m.random, customers()), []person{m.owner}
	case "":
		other := pick(m.random, m.others)
		if m.random.IntN(3) == 0 {
			return m.owner, []person{other}
		}
		return other, []person{m.owner}
	}
	return office(key), []person{m.owner}
}

// dress puts a greeting and a name around what a letter says. An office has its own way to begin.
func (m mailbox) dress(plain letter, tale teller) letter {
	if slices.Contains(m.others, plain.from) || plain.from == m.owner || slices.Contains(customers(), plain.from) {
		greeting := pick(m.random, []string{"Hi", "Hello", "Dear"})
		plain.body = greeting + " " + plain.to[0].first() + ",\n\n" + plain.body + "\n\n" + tale.tell(pick(m.random, closings())) + "\n" + plain.from.first()
	} else {
		plain.body += "\n\n" + plain.from.name
	}
	return plain
}

func (b *yearBuilder) addThread(account mailbox, threadID string, letters []letter) {
	first, last := letters[0], letters[len(letters)-1]
	thread := mailThread{
		ID: threadID, Subject: first.subject, MessageCount: len(letters),
		FirstMessageAt: stamp(first.when), LastMessageAt: stamp(last.when),
	}
	recent := yearEnd().AddDate(0, 0, -10)
	for _, each := range letters {
		fromOwner := each.from == account.owner
		message := mailMessage{
			ID: each.id, ThreadID: threadID, Subject: each.subject, FromName: each.from.name, FromEmail: each.from.email,
			To: addresses(each.to), Cc: addresses(each.cc), ReceivedAt: stamp(each.when), Labels: []string{"INBOX"},
			IsSeen:    fromOwner || each.when.Before(recent) || account.random.IntN(3) > 0,
			IsFlagged: account.random.IntN(16) == 0, HasAttachments: len(each.files) > 0,
			SizeBytes: len(each.body) + 900 + account.random.IntN(2200), Snippet: shorten(each.body, 140),
		}
		if fromOwner {
			message.Labels = []string{"SENT"}
		}
		message.Labels = append(message.Labels, each.labels...)
		for _, file := range each.files {
			message.SizeBytes += file.size()
		}
		b.add(account.connectionID, "messages", each.id, each.when, message)
		b.add(account.connectionID, "message_bodies", each.id, each.when, mailBody{each.id, each.id, each.body, "utf-8"})
		b.addAttachments(account.connectionID, each)
		thread.HasAttachments = thread.HasAttachments || message.HasAttachments
		if !message.IsSeen {
			thread.UnreadCount++
		}
		for _, participant := range slices.Concat([]person{each.from}, each.to, each.cc) {
			if !slices.Contains(thread.ParticipantEmails, participant.email) {
				thread.ParticipantEmails = append(thread.ParticipantEmails, participant.email)
			}
		}
	}
	b.add(account.connectionID, "threads", threadID, last.when, thread)
}

func addresses(people []person) []mailAddress {
	listed := make([]mailAddress, 0, len(people))
	for _, one := range people {
		listed = append(listed, mailAddress{one.name, one.email})
	}
	return listed
}
