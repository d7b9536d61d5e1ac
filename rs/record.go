package rs

// RereadRecord is [Object.Reread] of a record. It returns the members of the record's data too, in the room of fields, which
// are needed no more, or nil when data is no object. All is read in one pass, because data are nearly the whole of a record.
func (o Object) RereadRecord(raw string, fields Object) (record, data Object) {
	rest, more, ok := opened(raw, '{', '}')
	if !ok {
		return nil, nil
	}
	for record = o.emptied(); more && ok; {
		var m Member
		if m.Name, rest, ok = cutName(rest); !ok {
			break
		}
		if rest = trimLeft(rest); m.Name == "data" && Kind(rest) == "object" {
			var behind string
			if data, behind, ok = cutObject(fields, rest); ok {
				m.Value = rest[:len(rest)-len(behind)]
				rest, more, ok = passed(behind, '}')
			}
		} else {
			if m.Value, rest, more, ok = cutPart(rest, '}'); m.Name == "data" {
				data = nil // of data given twice the last count
			}
		}
		record = append(record, m)
	}
	if !ok || trimLeft(rest) != "" {
		return nil, nil
	}
	return record, data
}

// cutObject returns the members of the object that raw starts with, in the room of o, and what follows it.
func cutObject(o Object, raw string) (members Object, rest string, ok bool) {
	rest, more, ok := opened(raw, '{', '}')
	for members = o.emptied(); more && ok; {
		var m Member
		if m.Name, rest, ok = cutName(rest); ok {
			m.Value, rest, more, ok = cutPart(rest, '}')
		}
		members = append(members, m)
	}
	return members, rest, ok
}

// emptied is the room of o, or new room when it has none.
func (o Object) emptied() Object {
	if cap(o) == 0 {
		return make(Object, 0, 16)
	}
	return o[:0]
}
