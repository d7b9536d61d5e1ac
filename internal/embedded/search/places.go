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

// A place is what is stored of one.
type place struct {
	version       int64
	column, times int
	size          int // in bytes; 0: it is not whole
}

// placeAt reads the place that begins there, after one of a version.
func placeAt(stored []byte, version int64) (one place) {
	next := func() int64 {
		value, size := binary.Uvarint(stored[one.size:])
		if one.size += size; size <= 0 {
			one.size, stored = 0, nil
		}
		return int64(value) // #nosec G115 -- as it was written
	}
	head := next()
	one.version, one.column, one.times = version+head>>3, int(head>>1&manyColumns), 1
	if one.column == manyColumns {
		one.column = int(next())
	}
	if head&1 == 1 {
		one.times = int(next())
	}
	return one
}

// eachPlace reads what places hold.
func eachPlace(stored []byte, visit func(version uint32, column, times int)) {
	for one := (place{}); len(stored) > 0; stored = stored[one.size:] {
		if one = placeAt(stored, one.version); one.size == 0 {
			return
		}
		visit(uint32(one.version), one.column, one.times) // #nosec G115 -- as it was written
	}
}

// keep adds what is stored of later records, but for those that are gone. Places that follow one another are copied as they are: each says
// only how far it is from the one before.
func (p *places) keep(stored []byte, gone func(version int64) bool) {
	follows := p.last == 0 // the next place does, on the last one that is kept
	start, at := 0, 0      // of what is copied together
	for one := (place{}); at < len(stored); at += one.size {
		if one = placeAt(stored[at:], one.version); one.size == 0 {
			break
		}
		switch {
		case gone(one.version):
			p.bytes = append(p.bytes, stored[start:at]...)
			start, follows = at+one.size, false
		case follows:
			p.last = one.version
		default:
			p.add(one.version, one.column, one.times)
			p.flush()
			start, follows = at+one.size, true
		}
	}
	p.bytes = append(p.bytes, stored[start:at]...)
}

// mostTerms is how many terms are followed while loading: it bounds memory.
const mostTerms = 1 << 18

// A placesWriter follows the first terms that come, or only those that it has.
type placesWriter map[string]*places

func (w placesWriter) add(version int64, column int, terms []string, more bool) {
	for _, t := range terms {
		p := w[t]
		if p == nil {
			if len(w) == mostTerms || !more {
				continue
			}
			p = &places{}
			w[strings.Clone(t)] = p // not all of the text that it is part of
		}
		p.add(version, column, 1)
	}
}
