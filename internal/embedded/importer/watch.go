package importer

import "fmt"

// A Skip is a piece of a file that was left out of a corpus, or, when Line is 0, a whole file or a part of its schema.
type Skip struct {
	File   string // path from the folder, with slashes
	Line   int    // where the piece begins, counted from 1
	Reason string
}

// String says where and why.
func (s Skip) String() string {
	if s.Line == 0 {
		return s.File + ": " + s.Reason
	}
	return fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Reason)
}

// A Watch follows the reading of files. Its functions may be nil.
type Watch struct {
	Skipped func(Skip)  // of each piece that is left out; in streams whose fields are declared, when their records are read
	Found   func(n int) // of each thousand records found so far, before any is loaded
}

func (w Watch) skipped(s Skip) {
	if w.Skipped != nil {
		w.Skipped(s)
	}
}

// foundStep is after how many records a watch is called.
const foundStep = 1000
