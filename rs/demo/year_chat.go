package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

type chatChannel struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Purpose     string `json:"purpose"`
	MemberCount int    `json:"member_count"`
	CreatedAt   string `json:"created_at"`
	IsArchived  bool   `json:"is_archived"`
}

type chatMessage struct {
	ID            string  `json:"id"`
	ChannelID     string  `json:"channel_id"`
	UserName      string  `json:"user_name"`
	SentAt        string  `json:"sent_at"`
	Text          string  `json:"text"`
	ThreadTS      *string `json:"thread_ts"`
	ReactionCount int     `json:"reaction_count"`
}

type chatReaction struct {
	ID        string `json:"id"`
	MessageID string `json:"message_id"`
	Emoji     string `json:"emoji"`
	UserName  string `json:"user_name"`
	ReactedAt string `json:"reacted_at"`
}

// A chatLine is one message before it has an id, which is its channel and its time.
type chatLine struct {
	channel, user, text string
	when                time.Time
	thread              string // time stamp of the message that began the thread, empty when this one did
	reactions           int
}

func (b *yearBuilder) addChat() {
	random := source(4)
	rooms := channels()
	for index, room := range rooms {
		created := yearStart().Add(time.Duration(index) * time.Minute)
		b.add(teamChat, "channels", room.id, created, chatChannel{room.id, room.name, room.purpose, 4 + random.IntN(7), stamp(created), room.archived})
	}
	lines := plantedLines()
	for _, when := range sortedTimes(random, 400, officeTime) {
		lines = append(lines, chatter(random, pick(random, rooms), when)...)
	}
	slices.SortStableFunc(lines, func(left, right chatLine) int { return left.when.Compare(right.when) })
	taken := map[string]bool{}
	for _, line := range lines {
		id := line.channel + ":" + timestampID(line.when)
		if taken[id] {
			continue // two lines of a channel in one second: the second is as good as unsaid
		}
		taken[id] = true
		b.addLine(random, id, line)
	}
}

// chatter tells what is said in a channel from a time on: a line, and perhaps a thread below it.
func chatter(random *rand.Rand, room channel, when time.Time) []chatLine {
	speakers := sample(random, append(colleagues(), noraAtWork()), 4)
	tale := newTeller(random, when, speakers...)
	lines := []chatLine{{
		channel: room.id, user: speakers[0].name, text: tale.tell(pick(random, room.openers)), when: when, reactions: max(0, random.IntN(5)-2),
	}}
	answers := sample(random, append(slices.Clone(room.answers), chatAnswers()...), max(0, random.IntN(6)-2))
	for index, answer := range answers {
		when = when.Add(time.Duration(20+random.IntN(1500)) * time.Second)
		lines = append(lines, chatLine{
			channel: room.id, user: speakers[(index+1)%len(speakers)].name, text: tale.tell(answer), when: when,
			thread: timestampID(lines[0].when), reactions: max(0, random.IntN(6)-4),
		})
	}
	return lines
}

func (b *yearBuilder) addLine(random *rand.Rand, id string, line chatLine) {
	message := chatMessage{ID: id, ChannelID: line.channel, UserName: line.user, SentAt: stamp(line.when), Text: line.text, ReactionCount: line.reactions}
	if line.thread != "" {
		message.ThreadTS = &line.thread
	}
	b.add(teamChat, "messages", id, line.when, message)
	fans := sample(random, colleagues(), line.reactions)
	for index, fan := range fans {
		emoji := pick(random, []string{"thumbsup", "tada", "eyes", "heart", "ocean", "joy", "white_check_mark"})
		reacted := line.when.Add(time.Duration(30*(index+1)) * time.Second)
		reactionID := fmt.Sprintf("%s:%s:%d", id, emoji, index+1)
		b.add(teamChat, "reactions", reactionID, reacted, chatReaction{reactionID, id, emoji, fan.name, stamp(reacted)})
	}
}

// timestampID writes a time as chat systems number their messages: seconds and a fraction that tells messages of one second apart.
func timestampID(when time.Time) string { return fmt.Sprintf("%d.000100", when.Unix()) }

// plantedLines are the lines that the year's facts need, word for word.
func plantedLines() []chatLine {
	newYear := time.Unix(1767225899, 0).UTC()
	outage := clock(2026, time.February, 17, 11, 42)
	return []chatLine{
		{channel: "C02", user: "Dmitri Sokolov", when: newYear, reactions: 4, text: "Happy New Year from the night shift! All forty-one gauges are talking 🎆"},
		{channel: "C04", user: "Dmitri Sokolov", when: outage, reactions: 2, text: "Root cause of the Harbour outage: an expired TLS certificate on the relay. Renewed, and there is an alarm for it now."},
		{
			channel: "C04", user: "Marcus Webb", when: outage.Add(3 * time.Minute), thread: timestampID(outage),
			text: "Thank you. Please write that down where the next person looks first.",
		},
		{channel: "C07", user: "Owen Price", when: clock(2026, time.June, 1, 9, 14), reactions: 1, text: "For Oslo we ship 36 Kestrel units on Monday 8 June. Customs papers are done."},
		{channel: "C05", user: "Nora Lindqvist", when: clock(2026, time.March, 10, 16, 50), text: "I am at the dentist on Thursday afternoon, so please no surprises between two and four."},
		{channel: "C05", user: "Hannah Cole", when: clock(2026, time.July, 2, 13, 5), reactions: 3, text: "The office router sits behind the fern now. If the Wi-Fi is slow, water the fern and apologise to it."},
		{channel: "C06", user: "Ines Duarte", when: clock(2026, time.March, 2, 10, 30), reactions: 2, text: "If you are in Lisbon early: my cousin's place, Tasca da Graça, has the best rice. Say that Ines sent you."},
	}
}
