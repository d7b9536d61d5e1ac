package main

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
)

// sliceAlignment is the power of two at which each program of a universal binary begins: a page of arm64.
const sliceAlignment = 14

// universal joins programs for several processors into one that macOS starts on each of them: a big-endian table of
// what begins where, and then the programs as they are, signatures included.
func universal(programs ...[]byte) ([]byte, error) {
	var table, body bytes.Buffer
	const headerSize, rowSize, page = 8, 20, 1 << sliceAlignment
	offset := headerSize + rowSize*len(programs)
	put := func(values ...uint32) {
		for _, value := range values {
			table.Write(binary.BigEndian.AppendUint32(nil, value))
		}
	}
	put(macho.MagicFat, uint32(len(programs))) // #nosec G115 -- two
	for _, program := range programs {
		parsed, err := macho.NewFile(bytes.NewReader(program))
		if err != nil {
			return nil, err
		}
		padding := (page - offset%page) % page
		body.Write(make([]byte, padding))
		offset += padding
		put(uint32(parsed.Cpu), parsed.SubCpu, uint32(offset), uint32(len(program)), sliceAlignment) // #nosec G115 -- some 50 MB
		body.Write(program)
		offset += len(program)
	}
	return append(table.Bytes(), body.Bytes()...), nil
}
