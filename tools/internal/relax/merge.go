package relax

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Limits for what follows a search that found nothing.
const (
	MaxReads        = 8  // reads of the resource server, including that search
	MaxPackageReads = 24 // the same, over all members of a package
	MaxWords        = 5  // words that are searched for one by one
	Hits            = 25 // hits of one read
)

// ReadsLeft returns how many searches may follow the one that found nothing and took took reads, if each of them takes each reads.
func ReadsLeft(took, each int) int {
	if took <= 1 {
		return MaxReads - 1
	}
	return max(0, min(MaxReads-1, (MaxPackageReads-took)/max(1, each)))
}

// A Read is the result of the search for one word.
type Read struct {
	Word    string
	Count   int // the records that have it; at least 1 if there are hits
	AtLeast bool
	Hits    []Hit
}

// ReadList parses the result of the search for a word. It leaves out hits that are not objects.
func ReadList(word string, response *rs.Response) Read {
	read := Read{Word: word}
	list, _ := response.List()
	for _, item := range list.Items {
		if o := item.Members; o != nil {
			record := cmp.Or(o.Text("record_key", "record_id", "id", "result_id", "record_uri", "uri"), item.Raw)
			key := []string{o.Text("connection_id", "connector_instance_id"), o.Text("stream", "stream_name"), record}
			read.Hits = append(read.Hits, Hit{Key: rs.EncodeJSON(key), Value: item.Raw})
		}
	}
	meta := list.Envelope.Object("meta")
	count, counted := meta.Number("count")
	if !counted {
		count, counted = meta.Object("count").Number("value")
	}
	read.AtLeast = meta.Text("count_accuracy") == "lower_bound" || !counted && (len(list.Items) >= Hits || list.Envelope.Flag("has_more"))
	read.Count = max(count, len(read.Hits))
	return read
}

// WithoutTime returns the answer to a search without the report that words occur nowhere which only name the time of the query; rest is the
// query without it.
func WithoutTime(response *rs.Response, rest string) *rs.Response {
	rest = strings.ToLower(rest)
	body := response.Object()
	meta := body.Object("meta")
	recall := meta.Object("recall")
	for _, name := range []string{"missing_words", "nearest_words", "containing_words", "inexact_words"} {
		words := slices.DeleteFunc(recall.Array(name), func(raw string) bool {
			word, _ := rs.AsText(cmp.Or(rs.AsObject(raw).Get("word"), raw))
			return !strings.Contains(rest, strings.ToLower(word))
		})
		if recall = recall.Without(name); len(words) > 0 {
			recall = recall.With(name, rs.JoinArray(words))
		}
	}
	return response.WithBody(body.With("meta", meta.With("recall", recall.JSON()).JSON()).JSON())
}

// LacksMost returns the answer that lacks most members of a package, sources or hits. An answer that is made of several reports what is
// missing in that one.
func LacksMost(answers []*rs.Response) *rs.Response {
	lacks := func(response *rs.Response) [3]int {
		list, _ := response.List()
		meta := list.Envelope.Object("meta")
		all, _ := meta.Object("sources").Number("of")
		read, _ := meta.Object("sources").Number("read")
		return [3]int{response.Unavailable, all - read, len(meta.Get("warnings"))}
	}
	return slices.MaxFunc(answers, func(a, b *rs.Response) int {
		one, other := lacks(a), lacks(b)
		return slices.Compare(one[:], other[:])
	})
}

// A Hit is one hit of a read. Hits of one record have the same key.
type Hit struct {
	Key   string
	Value string // the hit as JSON
}

// A Found is a hit with the words that its record has, in the order of the reads; no words if it is only near.
type Found struct {
	Hit
	Words []string
}

// Merge returns every record that the reads found, once: first those that have all words, then the near ones in their order, then the
// others, by how many of the words they have, how rare these are and how high they rank. The value of a record is from the read with the
// rarest word.
func Merge(reads []Read, near []Hit) []Found {
	records := map[string]*record{}
	order := 0
	take := func(h Hit) *record {
		r := records[h.Key]
		if r == nil {
			r = &record{Found: Found{Hit: h}, near: math.MaxInt, order: order}
			records[h.Key] = r
			order++
		}
		return r
	}
	for n, h := range near {
		r := take(h)
		r.near = min(r.near, n)
	}
	for i, read := range reads {
		rarity := 1 / math.Log2(2+float64(max(read.Count, 1)))
		for rank, h := range read.Hits {
			r := take(h)
			if r.last == i+1 {
				continue // the read returned it twice
			}
			r.last = i + 1
			r.Words = append(r.Words, read.Word)
			r.score += rarity * (1 + 1/float64(2+rank))
			if rarity > r.rarest {
				r.rarest, r.Value = rarity, h.Value
			}
		}
	}
	sorted := slices.SortedFunc(maps.Values(records), func(a, b *record) int {
		return cmp.Or(
			cmp.Compare(len(b.Words)/max(1, len(reads)), len(a.Words)/max(1, len(reads))), // 1 for all words, else 0
			cmp.Compare(a.near, b.near), cmp.Compare(b.score, a.score), cmp.Compare(a.order, b.order),
		)
	})
	found := make([]Found, len(sorted))
	for i, r := range sorted {
		found[i] = r.Found
	}
	return found
}

// WithAll adds hits that have all of some words to the reads of each of these words.
func WithAll(reads []Read, words []string, hits []Hit) []Read {
	if len(hits) == 0 {
		return reads
	}
	for _, word := range words {
		i := slices.IndexFunc(reads, func(read Read) bool { return read.Word == word })
		if i < 0 {
			i, reads = len(reads), append(reads, Read{Word: word})
		}
		reads[i].Hits, reads[i].Count = slices.Concat(hits, reads[i].Hits), max(reads[i].Count, len(hits))
	}
	return reads
}

// A record is what the reads found of one record.
type record struct {
	Found
	near, order, last int
	score, rarest     float64
}
