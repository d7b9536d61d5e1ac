package render

// appendEvidence appends the lines of one hit's match, the call that reads on (S1-5a), and how to check a quote of it.
func (h *hit) appendEvidence(b []byte, cut *cutter, chars int, cited bool) []byte {
	x := &h.excerpts[0]
	cite := x.cut(cut, chars)
	b = append(appendName(append(h.appendHead(b), " | "...), x.field), ": "...)
	b = append(cut.append(b, appendEscaped), '\n')
	b = append(b, "  read on: read_record_field {"...)
	b = x.read(&arguments{b}).shut('}').shut('\n').b
	if cited && cite.quote != "" {
		b = append(cite.appendLine(b), '\n')
	}
	return b
}

// appendHead appends a hit's id, with the connection that must be passed beside it, and what it is.
func (h *hit) appendHead(b []byte) []byte {
	b = append(b, h.id...)
	if conn := h.separate(); conn != "" {
		b = appendName(append(b, " connection_id="...), conn)
	}
	if b = h.appendIdentity(append(b, " | "...)); h.has != "" {
		b = append(append(b, " | "...), h.has...)
	}
	return b
}

// hitLines lists the hits that no evidence line showed, up to the first for which there is no s. It returns how many hits stand in
// the text from the first on, and how many of these have an id too long to show (D15).
func hitLines(p *page, hits []hit, cut *cutter) (shown, long int) {
	line := make([]byte, 0, 400)
	for i := range hits {
		h := &hits[i]
		if h.inText {
			continue
		}
		if longerThan(h.id, previewIDChars) {
			long++
			continue
		}
		for _, chars := range []int{120, 60, 0} {
			line = append(h.appendLine(line[:0], cut, chars), '\n')
			if h.inText = p.block(line); h.inText {
				break
			}
		}
		if !h.inText {
			return i, long
		}
	}
	return len(hits), long
}

func (h *hit) appendLine(b []byte, cut *cutter, chars int) []byte {
	b = h.appendHead(b)
	if chars == 0 {
		return b
	}
	if len(h.excerpts) > 0 {
		b = append(appendName(append(b, " | "...), h.excerpts[0].field), ": "...)
		cut.around(h.excerpts[0].text, chars)
		return cut.append(b, appendEscaped)
	}
	if _, ok := cut.around(h.snippet, chars); ok {
		b = cut.append(append(b, " | "...), appendEscaped)
	}
	return b
}

// appendIdentity appends the title, and what it does not say of stream, connection and connector.
func (h *hit) appendIdentity(b []byte) []byte {
	if h.title == "" || h.underTitle { // then the line names stream and connection
		what := h.heading
		if h.underTitle {
			what = h.untitled(new(texts))
		}
		b = appendQuoted(b, what)
		if key := preview(h.connector, labelChars); key != "" && h.label != "" {
			b = append(append(append(b, " ("...), bare(key)...), ')')
		}
		return b
	}
	b = appendQuoted(b, preview(h.title, 80))
	if h.stream == "" {
		return b
	}
	b = appendName(append(b, " | "...), clip(h.stream, labelChars))
	source := len(b)
	if b = h.appendSource(append(b, ", "...)); len(b) == source+len(", ") {
		return b[:source]
	}
	return b
}
