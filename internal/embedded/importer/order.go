package importer

import (
	"iter"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// concatenate yields the records of one run after the other.
func concatenate(runs []iter.Seq2[model.Record, error], yield func(model.Record, error) bool) {
	for _, run := range runs {
		for record, err := range run {
			if !yield(record, err) || err != nil {
				return
			}
		}
	}
}

// mergeByTime yields the records of runs that are each in the order of emission, in the order of emission of all. Of records that were
// emitted at one instant, that of the earlier run comes first.
func mergeByTime(runs []iter.Seq2[model.Record, error], yield func(model.Record, error) bool) {
	type head struct {
		record model.Record
		next   func() (model.Record, error, bool)
	}
	var heads []head
	for _, run := range runs {
		next, stop := iter.Pull2(run)
		defer stop()
		record, err, ok := next()
		if err != nil {
			yield(model.Record{}, err)
			return
		}
		if ok {
			heads = append(heads, head{record, next})
		}
	}
	for len(heads) > 0 {
		first := 0
		for index := range heads {
			if heads[index].record.EmittedAt.Before(heads[first].record.EmittedAt) {
				first = index
			}
		}
		if !yield(heads[first].record, nil) {
			return
		}
		record, err, ok := heads[first].next()
		if err != nil {
			yield(model.Record{}, err)
			return
		}
		heads[first].record = record
		if !ok {
			heads = append(heads[:first], heads[first+1:]...)
		}
	}
}
