package search

import (
	"encoding/binary"
	"strings"
)

// places are where a term is, in bytes: for each record and column, in order, a varint. Its lowest bit says whether the term is there
// more than once, the next two the column, those above how far the version is from the one before. The count follows if it is above
// one, and the column before it if it is 3 or more.
type places struct {
	bytes         []byte
	records       int
	last, version int64 // the last one written, and the one being counted; 0 for none
	column, times int
}

// manyColumns in the place of a column says that the column follows.
const manyColumns = 3

func (p *places) add(version int64, column, times int) {
	if p.version == version && p.column == column {
		p.times += times
		return
	}
	if p.version != version {
		p.records++
	}
	p.flush()
	p.version, p.column, p.times = version, column, times
}

func (p *places) flush() {
	if p.times == 0 {
		return
	}
	head := uint64(p.version-p.last)<<3 | uint64(min(p.column, manyColumns))<<1 // #nosec G115 -- versions only rise
	if p.times > 1 {
		head |= 1
	}
	p.bytes = binary.AppendUvarint(p.bytes, head)
	if p.column >= manyColumns {
		p.bytes = binary.AppendUvarint(p.bytes, uint64(p.column)) // #nosec G115 -- not negative
	}
	if p.times > 1 {
		p.bytes = binary.AppendUvarint(p.bytes, uint64(p.times)) // #nosec G115 -- not negative
	}
	p.last, p.times = p.version, 0
}

// eachPlace reads what places hold.
func eachPlace(stored []byte, visit func(version uint32, column, times int)) {
	var version uint64
	next := func() (value uint64) {
		value, size := binary.Uvarint(stored)
		stored = stored[max(size, 0):]
		if size <= 0 {
			stored = nil
		}
		return value
	}
	for len(stored) > 0 {
		head := next()
		version += head >> 3
		column, times := head>>1&manyColumns, uint64(1)
		if column == manyColumns {
			column = next()
		}
		if head&1 == 1 {
			times = next()
		}
		visit(uint32(version), int(column), int(times)) // #nosec G115 -- as it was written
	}
}

// mostTerms is how many terms are followed while loading: it bounds memory.
const mostTerms = 1 << 18

// A placesWriter follows the first terms that come, or only those that it has.
type placesWriter map[string]*places

func (w placesWriter) add(version int64, column int, terms []Term, more bool) {
	for _, t := range terms {
		p := w[t.Text]
		if p == nil {
			if len(w) == mostTerms || !more {
				continue
			}
			p = &places{}
			w[strings.Clone(t.Text)] = p // not all of the text that it is part of
		}
		p.add(version, column, 1)
	}
}
