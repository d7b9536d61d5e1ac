package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// The figures stand between these lines of the page.
const (
	page      = "docs/performance.md"
	pageBegin = "<!-- load: make load UPDATE=-update -->\n"
	pageEnd   = "<!-- end of load -->"
)

// A table is part of the report.
type table struct {
	title  string
	header []string
	rows   [][]string
}

// report prints what was measured, and writes it where it is asked to.
func report(o options, r results) error {
	tables := tablesOf(o, r)
	printed := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, t := range tables {
		t.print(printed)
	}
	if err := printed.Flush(); err != nil {
		return err
	}
	var text strings.Builder
	fmt.Fprintln(&text, conditions(o))
	for _, t := range tables {
		t.markdown(&text)
	}
	if o.markdown != "" {
		if err := os.WriteFile(o.markdown, []byte(text.String()), 0o600); err != nil {
			return err
		}
	}
	if o.update != "" {
		return rewrite(o.update, text.String())
	}
	return nil
}

// conditions are under which the figures are what they are.
func conditions(o options) string {
	return fmt.Sprintf("Medians of %d rounds of %s a figure. %s, %s/%s, %d cores, which the clients, the resource server and what is measured share; GOGC=%s in all of them.",
		o.rounds, o.slice, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), gogc())
}

// place finds what stands before and after the figures of the page.
func place(path string) (before, after string, err error) {
	old, err := os.ReadFile(path) // #nosec G304 -- the page
	if err != nil {
		return "", "", err
	}
	before, rest, begun := strings.Cut(string(old), pageBegin)
	_, after, ended := strings.Cut(rest, pageEnd)
	if !begun || !ended {
		return "", "", fmt.Errorf("%s has no place for the figures: the lines %q and %q", path, strings.TrimSpace(pageBegin), pageEnd)
	}
	return before, after, nil
}

// rewrite puts the figures into the page.
func rewrite(path, text string) error {
	before, after, err := place(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+pageBegin+text+pageEnd+after), 0o644) // #nosec G306 G703 -- a page for everybody
}

func (t table) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", t.title)
	fmt.Fprintln(w, strings.Join(t.header, "\t")+"\t")
	for _, row := range t.rows {
		fmt.Fprintln(w, strings.Join(row, "\t")+"\t")
	}
}

func (t table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n%s:\n\n| %s |\n|%s\n", t.title, strings.Join(t.header, " | "), strings.Repeat("---|", len(t.header)))
	for _, row := range t.rows {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
	}
}

func tablesOf(o options, r results) []table {
	var tables []table
	if wanted := acceptance(o, r); len(wanted.rows) > 0 {
		tables = append(tables, wanted)
	}
	if len(r.cells) > 0 {
		for _, clients := range o.clients {
			tables = append(tables, callTable(r, clients))
		}
		tables = append(tables, priceTable(o, r))
	}
	if len(r.width) > 0 {
		tables = append(tables, fanOutTable(r))
	}
	return append(tables, startTable(r))
}

// values are one figure of a cell, round by round.
func values(samples []sample, of func(sample) float64) []float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, of(s))
	}
	return all
}

// The figures of a sample.
func perSecond(s sample) float64 { return s.perSecond }
func p50(s sample) float64       { return s.p50 }
func p99(s sample) float64       { return s.p99 }
func p999(s sample) float64      { return s.p999 }
func cpu(s sample) float64       { return s.cpu }
func bytesOf(s sample) float64   { return s.bytes }
func allocated(s sample) float64 { return s.allocated }
func peak(s sample) float64      { return s.peak }

// compare is the ratio of a figure between two subjects under the same load.
func (r results) compare(of func(sample) float64, at cell, with string) float64 {
	return ratio(values(r.cells[at], of), values(r.cells[cell{with, at.workload, at.clients}], of))
}

// floorOf is the subject that does what the library does, in the same era, and nothing of ours.
func floorOf(subject string) string {
	switch subject {
	case oursLegacy, oursStdio:
		return sdkLegacy
	case oursModern:
		return sdkModern
	}
	return ""
}

func callTable(r results, clients int) table {
	t := table{
		title:  fmt.Sprintf("%d clients", clients),
		header: []string{"call", "of", "calls/s", "p50 ms", "p99 ms", "p99.9 ms", "CPU µs", "KB allocated", "allocations", "peak MB", "calls/s to bare", "calls/s to SDK", "p99 to bare"},
	}
	if clients == 1 {
		t.title = "1 client"
	}
	for _, w := range workloads() {
		for _, name := range subjectNames() {
			at := cell{name, w.name, clients}
			samples := r.cells[at]
			if len(samples) == 0 {
				continue
			}
			middle := func(of func(sample) float64) float64 { return median(values(samples, of)) }
			t.rows = append(t.rows, []string{
				w.name, name, number(middle(perSecond), 0),
				number(middle(p50)*1e3, 2), number(middle(p99)*1e3, 2), number(middle(p999)*1e3, 2),
				number(middle(cpu)*1e6, 0), number(middle(bytesOf)/1e3, 1), number(middle(allocated), 0), number(middle(peak)/1e6, 0),
				number(r.compare(perSecond, at, bareOne), 2), number(r.compare(perSecond, at, floorOf(name)), 2), number(r.compare(p99, at, bareOne), 2),
			})
		}
	}
	return t
}

// priceTable is what a million calls cost, at the number of clients in the middle.
func priceTable(o options, r results) table {
	clients := o.clients[len(o.clients)/2]
	subjects := []string{bareOne, sdkLegacy, oursLegacy, oursModern, oursStdio}
	t := table{title: fmt.Sprintf("A million calls, in hours of one core, %d at a time", clients), header: append([]string{"call"}, subjects...)}
	for _, w := range workloads() {
		if !slices.Contains(o.workloads, w.name) {
			continue
		}
		row := []string{w.name}
		for _, name := range subjects {
			row = append(row, number(median(values(r.cells[cell{name, w.name, clients}], cpu))*1e6/3600, 2))
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func fanOutTable(r results) table {
	t := table{
		title: "A search of a package, one client; to the right at a resource server that takes " + slowness.String() + " for each read",
		header: []string{"children", "p50 ms", "to 1 child", "CPU µs", "KB allocated", "peak MB",
			"p50 ms", "to 1 child", "CPU µs"},
	}
	for _, children := range widths() {
		quick, slow := r.width[fanOutCell(children, false)], r.width[fanOutCell(children, true)]
		t.rows = append(t.rows, []string{
			strconv.Itoa(children),
			number(median(values(quick, p50))*1e3, 2), number(r.fanOut(children, false), 2), number(median(values(quick, cpu))*1e6, 0),
			number(median(values(quick, bytesOf))/1e3, 0), number(median(values(quick, peak))/1e6, 0),
			number(median(values(slow, p50))*1e3, 2), number(r.fanOut(children, true), 2), number(median(values(slow, cpu))*1e6, 0),
		})
	}
	return t
}

// fanOut is how much longer a search of so many children takes than one of a single child.
func (r results) fanOut(children int, slow bool) float64 {
	return ratio(values(r.width[fanOutCell(children, slow)], p50), values(r.width[fanOutCell(1, slow)], p50))
}

func startTable(r results) table {
	t := table{title: "Start and size", header: []string{"what", "measured"}, rows: [][]string{
		{"serve, memory before its first call", number(r.idle/1e6, 0) + " MB"},
		{"the program, as it is released", number(float64(r.binary)/1e6, 1) + " MB"},
	}}
	if len(r.starts) > 0 {
		t.rows = append(t.rows, []string{fmt.Sprintf("stdio, from starting it to its first answer, median of %d", len(r.starts)), number(r.start()*1e3, 1) + " ms"})
	}
	return t
}

// start is how long the local server takes to start, in seconds.
func (r results) start() float64 { return median(seconds(r.starts)) }

func seconds(times []time.Duration) []float64 {
	var all []float64
	for _, t := range times {
		all = append(all, t.Seconds())
	}
	return all
}

// number prints a figure with so many decimals; a dash for what is not known.
func number(value float64, decimals int) string {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return "–"
	}
	return fmt.Sprintf("%.*f", decimals, value)
}

// acceptance holds what was measured to what is wanted. What a run leaves out because it was asked to, it leaves out here.
func acceptance(o options, r results) table {
	t := table{title: "What is wanted", header: []string{"what", "measured", "at least", "aim", "verdict"}}
	row := func(got float64, cells ...string) {
		if o.complete() || !math.IsNaN(got) {
			t.rows = append(t.rows, cells)
		}
	}
	atLeast := func(what string, got, least, aim float64) {
		row(got, what, number(got, 2), "≥ "+number(least, 2), "≥ "+number(aim, 2), verdict(got >= least, got >= aim, got))
	}
	atMost := func(what string, got, most, aim float64, decimals int, unit string) {
		row(got, what, number(got, decimals)+unit, "≤ "+number(most, 1)+unit, "≤ "+number(aim, 1)+unit, verdict(got <= most, got <= aim, got))
	}
	const clients = 16
	usual := []string{"schema", "records", "search"}
	for _, load := range usual[1:] {
		for _, name := range []string{oursLegacy, oursModern} {
			atLeast(fmt.Sprintf("%s, %s, %d clients: calls/s to the SDK", load, name, clients), r.compare(perSecond, cell{name, load, clients}, floorOf(name)), 0.9, 1)
		}
	}
	for _, load := range append(slices.Clone(usual), "tools-list") {
		for _, name := range []string{oursLegacy, oursModern} {
			atLeast(fmt.Sprintf("%s, %s, %d clients: calls/s to bare", load, name, clients), r.compare(perSecond, cell{name, load, clients}, bareOne), 0.5, 0.8)
		}
	}
	for _, load := range usual {
		for _, name := range []string{oursLegacy, oursModern} {
			atMost(fmt.Sprintf("%s, %s, %d clients: p99 to bare", load, name, clients), r.compare(p99, cell{name, load, clients}, bareOne), 2, 1.3, 2, " ×")
		}
	}
	atMost("peak memory, 64 clients, large answers", r.largePeak(64)/1e6, 120, 60, 0, " MB")
	atMost("stdio, from starting it to its first answer", r.start()*1e3, 50, 15, 1, " ms")
	atMost("search of 8 children to 1, where a read takes "+slowness.String(), r.fanOut(8, true), 1.6, 1.2, 2, " ×")
	atMost("search of 8 children to 1, where a read takes no time", r.fanOut(8, false), 1.6, 1.2, 2, " ×")
	return t
}

// largePeak is the most memory that any of the large workloads took over HTTP.
func (r results) largePeak(clients int) float64 {
	most := math.NaN()
	for _, w := range workloads() {
		for _, name := range []string{oursLegacy, oursModern} {
			got := median(values(r.cells[cell{name, w.name, clients}], peak))
			if w.large && !math.IsNaN(got) && (math.IsNaN(most) || got > most) {
				most = got
			}
		}
	}
	return most
}

func verdict(enough, aimed bool, got float64) string {
	switch {
	case math.IsNaN(got):
		return "not measured"
	case aimed:
		return "as aimed at"
	case enough:
		return "enough"
	}
	return "short of it"
}
