package service

import (
	"io"
	"log"
	"sync/atomic"

	"github.com/rs/zerolog"
)

// libraryFault is what is logged instead of a library's own words.
const libraryFault = "a library reported a fault; its text is withheld because it may hold record data"

// A FaultLog takes the lines that net/http and other libraries write to the standard logger. They may quote what a server
// or a client sent, so that none is passed on: the log gets one fixed line with how many there were, at the first, second,
// fourth, eighth and so on. It is safe for concurrent use.
type FaultLog struct {
	log   zerolog.Logger
	count atomic.Uint64
}

// NewFaultLog returns a FaultLog that writes to a log.
func NewFaultLog(log io.Writer) *FaultLog {
	return &FaultLog{log: zerolog.New(log).With().Timestamp().Logger()}
}

// Write counts a line.
func (f *FaultLog) Write(line []byte) (int, error) {
	if n := f.count.Add(1); n&(n-1) == 0 {
		f.log.Warn().Uint64("count", n).Msg(libraryFault)
	}
	return len(line), nil
}

// withheld passes a fixed line on to the standard logger, whatever is written to it.
type withheld struct{}

// Write writes the fixed line.
func (withheld) Write(line []byte) (int, error) {
	log.Print(libraryFault)
	return len(line), nil
}
