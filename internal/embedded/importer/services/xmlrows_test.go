package services

import (
	"strings"
	"testing"
)

// An entry of a statement is not said again for more of its parts than its file could say.
func TestPartsOfEntriesAreBounded(t *testing.T) {
	said := "<RmtInf><Ustrd>" + strings.Repeat("a", 50_000) + "</Ustrd></RmtInf>"
	text := "<Stmt><Ntry><Amt>0</Amt>" + said + said + strings.Repeat("<TxDtls><Amt>0</Amt></TxDtls>", 1000) + "</Ntry></Stmt>"
	rows, err := camt.rows(text)
	if err == nil || len(rows) > 30 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}
