package table

import "github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"

// strays describes the few cells of a column that differ from all others, such as "every Tuesday" among dates. The column has the type of
// the others, and a further field has the strays, so that none is lost.
type strays struct {
	remarks    int  // texts that are neither numbers nor codes
	limits     int  // those of them that say that there is no exact number, such as <0.6
	count      int  // strays, once the column is settled
	amongDates bool // the strays are among dates, not among numbers
}

// A type needs at least fewestTyped cells, and at most the share mostStrays of all values can be strays. A column is one of texts after
// fewestTyped texts, if these are more than half of all so far.
const fewestTyped, mostStrays = 5, 0.15

// limit matches a measured value outside of what can be measured, with its unit, and the words for it.
var limit = item.Expression(`^(?:[<>≤≥~≈]=?[ \x{a0}]?\d[\d.,]*(?:[ \x{a0}]?\PN{0,8})?|` +
	`(?i)n\. ?[abdn]\.|nd|neg\.|n[eé]gati[vf][eoa]?|[<>] ?(?:lod|loq))$`)

// anyWord matches a word of letters only; SW1A 1AA has none.
var anyWord = item.Expression(`(?:^|\s)\pL{2,}[.,:]?(?:\s|$)`)
