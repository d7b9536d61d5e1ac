package importer

import (
	"iter"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func concatenate(runs []iter.Seq2[model.Record, error], yield func(model.Record, error) bool) {
	for _, run := range runs {
		for record, err := range run {
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// mergeByTime yields the records of runs that are each in the order of emission, in the order of emission of all. Of records that were
// emitted at one instant, that of the earlier run comes first.
func mergeByTime(runs []iter.Seq2[model.Record, error], yield func(model.Record, error) bool) {
	type head struct {
		record model.Record
		next   func() (model.Record, error, bool)
	}
	var heads []*head
	advance := func(one *head) (more bool) {
		record, err, ok := one.next()
		if one.record = record; !ok {
			heads = slices.DeleteFunc(heads, func(other *head) bool { return one == other })
		}
		if err != nil {
			yield(model.Record{}, err)
		}
		return err == nil
	}
	for _, run := range runs {
		next, stop := iter.Pull2(run)
		defer stop()
		one := &head{next: next}
		if heads = append(heads, one); !advance(one) {
			return
		}
	}
	for len(heads) > 0 {
		first := slices.MinFunc(heads, func(a, b *head) int { return a.record.EmittedAt.Compare(b.record.EmittedAt) })
		if !yield(first.record, nil) || !advance(first) {
			return
		}
	}
}

// heldRecords yield the records of a file so that those of one time, which sort as they come, are in the order in which they happened: many
// a bank writes the newest first, with the day alone. It is such a file if its first two times that differ fall.
type heldRecords struct {
	yield   func(model.Record) bool
	file    string
	first   time.Time      // in the file
	records []model.Record // of one time
	known   bool           // which of both it is
	falls   bool
	stopped bool
}

// mostHeld is how many records of one time are held back at most.
const mostHeld = 10_000

func (h *heldRecords) add(file string, record model.Record) bool {
	if file != h.file {
		h.release()
		h.file, h.first, h.known, h.falls = file, record.EmittedAt, false, false
	}
	when := record.EmittedAt
	if !h.known && !when.IsZero() && !when.Equal(h.first) {
		h.known, h.falls = !h.first.IsZero(), when.Before(h.first)
		h.first = when
	}
	if len(h.records) > 0 && !h.records[0].EmittedAt.Equal(when) || len(h.records) == mostHeld {
		h.release()
	}
	if h.known && !h.falls || when.IsZero() {
		h.stopped = h.stopped || !h.yield(record)
		return !h.stopped
	}
	record.Fields = nil // they change when the next record is read
	h.records = append(h.records, record)
	return !h.stopped
}

func (h *heldRecords) release() {
	if h.falls {
		slices.Reverse(h.records)
	}
	for _, record := range h.records {
		h.stopped = h.stopped || !h.yield(record)
	}
	h.records = h.records[:0]
}
