package render

// ladderFollowUp is a hit in structuredContent.content_ladder: for each proven match the same preview as in results and the
// call that reads on (S1-1a, S1-R2). Field-window URIs stand in _meta only (S1-R4). It takes the hit's passages, which come
// first, and returns the others.
func ladderFollowUp(a *arguments, h *hit, passages []draftPassage) []draftPassage {
	if len(h.excerpts) == 0 {
		return passages[1:]
	}
	a.open("", '{').plain("id", h.id).open("evidence", '[')
	for n := range h.excerpts {
		x := &h.excerpts[n]
		a.open("", '{').plain("field", x.field).key("preview")
		passages[n].followUp = len(a.b)
		a.b = append(a.b, ',')
		a.open("read", '{').plain("tool", "read_record_field").open("arguments", '{')
		x.read(a).shut('}').shut('}').shut('}')
	}
	a.shut(']').shut('}')
	return passages[len(h.excerpts):]
}

// windowURIs are the field windows of the proven matches, for hosts that read resources (S1-4a).
func windowURIs(hits []hit) []string {
	uris := make([]string, 0, maxEvidenceRows)
	for i := range hits {
		for _, x := range hits[i].excerpts {
			if len(uris) == maxEvidenceRows {
				return uris
			}
			uris = append(uris, WindowURI(WindowQuery{Ref: x.ref, Field: x.field, Q: x.q}))
		}
	}
	return uris
}
