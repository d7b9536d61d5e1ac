package search

import "encoding/binary"

// places are where a term is in a segment, in bytes: for each record and column, in order, a varint. Its lowest bit says whether the term is
// there more than once, the next two the column, those above how far the version is from the one before. The count follows if it is above
// one, and the column before it if it is 3 or more. Positions are beside them, since only phrases need those: words of a record are numbered
// through its columns, and each position says how far it is from the one before in the record.
type places struct {
	bytes, positions []byte
	records          int
	last, version    int64 // the last one written, and the one being counted
	column, times    int
	position         int // the last one of the version
}

// manyColumns in the place of a column says that the column follows.
const manyColumns = 3

func (p *places) add(version int64, column, position int) {
	if p.version != version || p.column != column || p.times == 0 {
		p.flush()
	}
	if p.version != version || p.records == 0 {
		p.records++
		p.position = 0
	}
	p.version, p.column, p.times = version, column, p.times+1
	p.positions = binary.AppendUvarint(p.positions, uint64(position-p.position)) // #nosec G115 -- positions only rise
	p.position = position
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

// nextNumber takes a number from the start of what is stored: 0 at its end, as in a row that is damaged.
func nextNumber(stored *[]byte) int64 {
	value, size := binary.Uvarint(*stored)
	*stored = (*stored)[max(size, 0):]
	if size <= 0 {
		*stored = nil
	}
	return int64(value) // #nosec G115 -- as it was written
}

func eachPlace(first int64, stored []byte, visit func(version uint32, column, times int)) {
	for version := first; len(stored) > 0; {
		head := nextNumber(&stored)
		column, times := head>>1&manyColumns, int64(1)
		if column == manyColumns {
			column = nextNumber(&stored)
		}
		if head&1 == 1 {
			times = nextNumber(&stored)
		}
		version += head >> 3
		visit(uint32(version), int(column), int(times)) // #nosec G115 -- as it was written
	}
}

// An occurrence is a word of a record.
type occurrence struct {
	version, position uint32
	column            int
}

// place is greater for what comes later, and greater by one for the next word of a text.
func (o occurrence) place() uint64 { return uint64(o.version)<<32 | uint64(o.position) }

// eachOccurrence reads the places of a segment with their positions.
func eachOccurrence(first int64, stored, positions []byte, visit func(occurrence)) {
	var last occurrence
	eachPlace(first, stored, func(version uint32, column, times int) {
		if last.version != version {
			last = occurrence{version: version}
		}
		for last.column = column; times > 0 && len(positions) > 0; times-- {
			last.position += uint32(nextNumber(&positions)) // #nosec G115 -- as it was written
			visit(last)
		}
	})
}
