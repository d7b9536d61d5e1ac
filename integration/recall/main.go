// Command recall measures how well questions find their evidence: it serves a folder, asks each question over MCP, checks what each channel
// of the answer shows, and prints a table. Run it with make recall.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
)

type options struct {
	folder, part, rs string
	worst            int
	least            float64
}

func main() {
	var o options
	flag.StringVar(&o.folder, "folder", "", "folder with streams/*.jsonl and questions.jsonl; empty: the sample year and its questions")
	flag.StringVar(&o.part, "part", "", "ask only the questions of this part, such as dev, test, tuned or kept")
	flag.StringVar(&o.rs, "rs", "", "all-words: the resource server demands every word")
	flag.IntVar(&o.worst, "worst", 0, "print so many questions without evidence in ten hits, but none of the parts test and kept")
	flag.Float64Var(&o.least, "least", 0, "fail if fewer per cent of the questions as asked find evidence in ten hits, less two points")
	flag.Parse()
	r, err := run(context.Background(), o)
	if err == nil {
		fmt.Print(r.report(o.worst))
		err = r.floor(o.least)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

// A setting is a way to ask questions and the channel of the answers that counts.
type setting struct{ policy, scope, channel string }

func (s setting) String() string { return s.policy + " · " + s.scope + " · " + s.channel }

type results map[setting][]trial

var (
	policies = []string{"as asked", "content words", "one retry"}
	scopes   = []string{"all streams", "named stream"}
	channels = []string{"text", "structured"}
)

func run(ctx context.Context, o options) (results, error) {
	path, questions := "", filepath.Join("integration", "recall", "testdata", "year.jsonl")
	if o.folder != "" {
		path, questions = filepath.Join(o.folder, "streams"), filepath.Join(o.folder, "questions.jsonl")
	}
	all, err := readQuestions(questions, o.part)
	if err != nil {
		return nil, err
	}
	s, err := serve(ctx, path, embedded.Options{AllWords: o.rs == "all-words"})
	if err != nil {
		return nil, err
	}
	defer s.close()
	r := results{}
	for _, q := range all {
		if err := r.ask(ctx, s, q, scopes[0], nil); err != nil {
			return nil, err
		}
		if streams := q.streams(); len(streams) > 0 {
			if err := r.ask(ctx, s, q, scopes[1], streams); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

func (r results) ask(ctx context.Context, s *subject, q question, scope string, streams []string) error {
	asked, err := s.search(ctx, arguments(q.Q, streams))
	if err != nil {
		return err
	}
	words, err := s.search(ctx, arguments(search.ContentWords(q.Q), streams))
	if err != nil {
		return err
	}
	for _, channel := range channels {
		retried := asked
		if retry := asked.seen[channel].retry; retry != nil {
			if retried, err = s.search(ctx, retry); err != nil {
				return err
			}
			seen := retried.seen[channel]
			seen.chars, seen.says = seen.chars+asked.seen[channel].chars, seen.says || asked.seen[channel].says
			retried = answer{seen: map[string]sight{channel: seen}, reads: asked.reads + retried.reads, took: asked.took + retried.took}
		}
		for i, a := range []answer{asked, words, retried} {
			at := setting{policies[i], scope, channel}
			r[at] = append(r[at], trial{question: q, seen: a.seen[channel], reads: a.reads, took: a.took, among: s.records(streams)})
		}
	}
	return nil
}

// floor returns an error if any@10 of a channel is more than two points below least, in per cent.
func (r results) floor(least float64) error {
	for _, channel := range channels {
		at := setting{policies[0], scopes[0], channel}
		if got := 100 * columns[anyInTen].measure(r[at]).value; got < least-2 {
			return fmt.Errorf("%s: any@10 is %.1f, and was %.1f", at, got, least)
		}
	}
	return nil
}

// report formats the table, the same by kind of question, and some questions that found nothing.
func (r results) report(worst int) string {
	asked := setting{policies[0], scopes[0], channels[1]}
	var b strings.Builder
	fmt.Fprintf(&b, "%d questions; shares in %% with Wilson's 95 %% interval, other figures with that of 1,000 resamples\n%-41s",
		len(r[asked]), "")
	for _, c := range columns {
		fmt.Fprintf(&b, " %17s", c.name)
	}
	b.WriteByte('\n')
	for _, scope := range scopes {
		for _, policy := range policies {
			for _, channel := range channels {
				at := setting{policy, scope, channel}
				writeRow(&b, at.String(), r[at])
			}
		}
	}
	kinds := map[string][]trial{}
	for _, t := range r[asked] {
		kinds[t.Kind] = append(kinds[t.Kind], t)
	}
	fmt.Fprintf(&b, "by kind, %s\n", asked)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		writeRow(&b, fmt.Sprintf("%s (%d)", kind, len(kinds[kind])), kinds[kind])
	}
	for _, t := range r[asked] {
		if worst > 0 && len(t.Gold) > 0 && t.found(10) == 0 && t.Part != "test" && t.Part != "kept" {
			worst--
			fmt.Fprintf(&b, "%q wants %s, shows %s\n", t.Q, strings.Join(t.Gold[:min(3, len(t.Gold))], " "), strings.Join(t.seen.ids, " "))
		}
	}
	return b.String()
}

func writeRow(b *strings.Builder, name string, trials []trial) {
	fmt.Fprintf(b, "%-41s", name)
	for _, c := range columns {
		by, digits, f := 1.0, 2, c.measure(trials)
		if c.share || c.name == "chance" {
			by, digits = 100, 1
		}
		cell := "-"
		if !math.IsNaN(f.value) {
			cell = fmt.Sprintf("%.*f %.*f–%.*f", digits, by*f.value, digits, by*f.low, digits, by*f.high)
		}
		fmt.Fprintf(b, " %17s", cell)
	}
	b.WriteByte('\n')
}
