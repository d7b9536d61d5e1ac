package argument_test

import (
	"strconv"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
)

// Refusing arguments costs no more than accepting them: the names of a list that is too long are not read.
func TestTheNamesOfATooLongListAreNotRead(t *testing.T) {
	for _, n := range []int{argument.MaxListItems, argument.MaxListItems + 1, 100_000} {
		names := make([]string, n)
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
		a := argument.NewReader(rs.AsObject(`{"expand":`+rs.EncodeJSON(names)+`}`), "expand")
		read := a.List("expand", argument.UnsafeListed)
		if refused := a.Err != nil; refused != (n > argument.MaxListItems) || refused && len(read) > 0 || !refused && len(read) != n {
			t.Errorf("of %d names, %d are read; error %v", n, len(read), a.Err)
		}
	}
}
