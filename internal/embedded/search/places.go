package search

import "encoding/binary"

// places encodes where a term occurs in a segment. For each record and column, in order, bytes has a varint: its lowest bit says whether
// the term occurs more than once, the next two are the column, the others the difference to the version before. The column follows if it is
// 3 or more, then the count if it is above one. Positions are separate, since only phrases need them: they number the words of a record
// across its columns, and each is stored as the difference to the one before in the record.
type places struct {
	bytes, positions []byte
	records          int
	last, version    int64 // the last version written, and the one being counted
	column, times    int
	position         int // the last position in the version
}

// manyColumns in the bits of the column means that the column follows.
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

// nextNumber decodes the first number of stored and removes it. It returns 0 at the end, or if the row is damaged.
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

// An occurrence is the place of a word in a record.
type occurrence struct {
	version, position uint32
	column            int
}

// place orders occurrences. It differs by one for adjacent words of a text.
func (o occurrence) place() uint64 { return uint64(o.version)<<32 | uint64(o.position) }

// eachOccurrence decodes the places of a segment with their positions.
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
