package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

type noteRecord struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Body      string   `json:"body"`
	CreatedAt string   `json:"created_at"`
	UpdatedAt string   `json:"updated_at"`
	Tags      []string `json:"tags"`
	SourceURL *string  `json:"source_url"`
	Language  string   `json:"language"`
}

// A jotting is a note before it has an id.
type jotting struct {
	title, body      string
	created, updated time.Time
	tags             []string
	url, language    string
}

func (b *yearBuilder) addNotes() {
	random := source(6)
	jottings := append(plantedNotes(), diaries(random)...)
	for _, when := range sortedTimes(random, 180, wakingTime) {
		kind := pick(random, noteKinds())
		tale := newTeller(random, when)
		var body strings.Builder
		body.WriteString(tale.tell(pick(random, kind.intro)) + "\n\n")
		for _, line := range sample(random, kind.lines, 3+random.IntN(4)) {
			body.WriteString(kind.bullet + tale.tell(line) + "\n")
		}
		updated := when
		if later := when.Add(time.Duration(random.IntN(30)) * time.Hour); random.IntN(3) == 0 && later.Before(yearEnd()) {
			updated = later
		}
		jottings = append(jottings, jotting{
			title: upperFirst(tale.tell(pick(random, kind.titles))), body: body.String(), created: when, updated: updated, tags: kind.tags, language: "en",
		})
	}
	slices.SortStableFunc(jottings, func(left, right jotting) int { return left.created.Compare(right.created) })
	for index, one := range jottings {
		note := noteRecord{
			ID: fmt.Sprintf("note-%04d", index+1), Title: one.title, Body: one.body, CreatedAt: stamp(one.created), UpdatedAt: stamp(one.updated),
			Tags: one.tags, Language: one.language,
		}
		if one.url != "" {
			note.SourceURL = &one.url
		}
		b.add(notebook, "notes", note.ID, one.updated, note)
	}
}

// upperFirst begins a title with a capital letter, since a template may begin with a word from the middle of a sentence.
func upperFirst(title string) string { return strings.ToUpper(title[:1]) + title[1:] }

// dailyCharacters is the least that a diary says about one day. A year of it is more than 60,000 characters, longer than any window on a
// text may be.
const dailyCharacters = 180

// diaries are the three notes that are kept all year: in English, for the Japanese lessons and for the Arabic ones.
func diaries(random *rand.Rand) []jotting {
	japaneseDays := []string{"日", "月", "火", "水", "木", "金", "土"}
	arabicMonths := []string{"يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو", "أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"}
	begun, last := yearStart().Add(21*time.Hour), yearEnd().Add(-2*time.Hour)
	return []jotting{
		{
			title: "One small thing a day", created: begun, updated: last, tags: []string{"diary"}, language: "en",
			body: diary(random, diarySentences(), " ", func(day time.Time) string { return day.Format("Monday 2 January 2006") }),
		},
		{
			title: "日本語の練習日記", created: begun, updated: last.Add(10 * time.Minute), tags: []string{"diary", "日本語"}, language: "ja",
			body: diary(random, japaneseSentences(), "", func(day time.Time) string {
				return fmt.Sprintf("%d年%d月%d日（%s）", day.Year(), day.Month(), day.Day(), japaneseDays[day.Weekday()])
			}),
		},
		{
			title: "يوميات بالعربية", created: begun, updated: last.Add(20 * time.Minute), tags: []string{"diary", "عربي"}, language: "ar",
			body: diary(random, arabicSentences(), " ", func(day time.Time) string {
				return fmt.Sprintf("%d %s %d", day.Day(), arabicMonths[day.Month()-1], day.Year())
			}),
		},
	}
}

// diary writes an entry for each day of the year under a heading.
func diary(random *rand.Rand, sentences []string, separator string, heading func(time.Time) string) string {
	var written strings.Builder
	for number := range yearDays {
		day := yearStart().AddDate(0, 0, number)
		tale := newTeller(random, day)
		entry := ""
		for _, sentence := range sample(random, sentences, len(sentences)) {
			entry += tale.tell(sentence)
			if utf8.RuneCountInString(entry) >= dailyCharacters {
				break
			}
			entry += separator
		}
		written.WriteString(heading(day) + "\n" + entry + "\n\n")
	}
	return written.String()
}

// plantedNotes are the notes that the year's facts need, word for word, and those that came from a page on the web.
func plantedNotes() []jotting {
	note := func(when time.Time, title, url, body string, tags ...string) jotting {
		return jotting{title: title, body: body, created: when, updated: when, tags: tags, url: url, language: "en"}
	}
	notes := []jotting{
		note(clock(2026, time.February, 9, 19, 40), "New router", "https://help.fernlink.example/routers/otter",
			"The network on the new router is called Fernlink-Otter-58. The settings page is at 192.168.7.1, and the password is on the sticker. The old router "+
				"goes back in the same box.", "home", "wifi"),
		note(clock(2026, time.January, 11, 10, 5), "Passports", "",
			"Mine was renewed last year and the passport expires on 4 September 2031. Ida's passport is good until 2029, Sam's until 2028.", "family", "travel"),
		note(clock(2025, time.December, 7, 9, 30), "Sourdough that works", "https://recipes.slowkitchen.example/sourdough",
			"500 g flour, 350 g water, 100 g starter, 11 g salt. The sourdough goes into the oven at 230 °C, twenty minutes with the lid on and twenty-five without. "+
				"Wait an hour before cutting, whatever they say.", "cooking", "recipe"),
		note(clock(2026, time.September, 27, 15, 20), "Half marathon", "",
			"Finished the half marathon in 1:58:41, under two hours for the first time. Priya waited at the water tower with a banana. Number 4417 is on the fridge.", "running"),
		note(clock(2026, time.June, 28, 22, 0), "For Sam", "",
			"Sam's birthday present: a brass sextant from the shop on the quay, hidden behind the wardrobe. Ida knows and must be watched.", "family", "presents"),
		note(clock(2026, time.March, 28, 20, 15), "Lisbon, afterwards", "https://visit.lisbon.example/trams/28",
			"Seven days, two of them with the office. Best of all: the tram up to Graça, rice at Tasca da Graça, the tile museum, Ida feeding sparrows. Next time rent no "+
				"car. The custard tarts near the hotel were better than the famous ones.", "travel", "lisbon"),
		note(clock(2026, time.February, 18, 9, 10), "After the outage", "",
			"A certificate on the relay had run out and nobody had an alarm for that. Now there is one, thirty days ahead. What helped: Dmitri's notes. What did not: "+
				"three of us on the same call, all talking.", "work", "incidents"),
		note(clock(2026, time.July, 26, 21, 45), "Cornwall packing list", "https://camping.treenfarm.example/arrive",
			"Tent, the good mallet, kite, wetsuits, head torches, dog towel, tide table, cards. Pitch 17. The spare gas bottle is in the shed.", "travel", "list"),
		note(clock(2026, time.September, 30, 22, 10), "Kyoto, before we go", "https://rail.kansai.example/passes",
			"Rail passes are not worth it for one city. Yuki's aunt meets us at Nijo station. Presents: tea towels and shortbread. Learn to say that Biscuit stays with Birgit.",
			"travel", "kyoto"),
		note(clock(2026, time.May, 5, 12, 20), "Dentist, questions", "",
			"Ask the dentist about the night guard again, Dr Anand said in March that it could wait until summer.", "health"),
		note(clock(2026, time.April, 29, 18, 0), "Car", "",
			"Garage says the noise in third gear is the gearbox mount, £145 with labour. Renewed the insurance, no change in cover.", "home", "car"),
		note(clock(2026, time.November, 10, 20, 30), "Winter plan", "",
			"Oslo wants twelve more gauges in February. Ask about the boiler service before it gets cold. Book the dentist for spring. Write less, finish more.", "plans"),
	}
	return append(notes, jotting{
		title: "Frases para Lisboa", created: clock(2026, time.March, 8, 11, 0), updated: clock(2026, time.March, 18, 21, 0), language: "pt", tags: []string{"travel", "lisbon"},
		body: "Bom dia, temos uma reserva para três pessoas. Onde fica a paragem do elétrico? A conta, por favor. A minha filha gosta de pastéis de nata. Obrigada e até amanhã.",
	}, jotting{
		title: "Mormors bullar", created: clock(2025, time.December, 13, 15, 0), updated: clock(2025, time.December, 13, 15, 0), language: "sv", tags: []string{"cooking", "recipe"},
		body: "Fem deciliter mjölk, femtio gram jäst, två tsk kardemumma, smör så det räcker. Låt degen jäsa i fyrtio minuter. Mamma säger att man aldrig ska ha bråttom med bullar.",
	})
}
