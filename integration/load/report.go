package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
)

// against returns the median over the rounds of the ratio of our calls per second to those of another subject.
func (r results) against(name, subject string) float64 {
	var ratios []float64
	others := r.cells[[2]string{name, subject}]
	for i, ours := range r.cells[[2]string{name, "ours"}] {
		ratios = append(ratios, ours.perSecond/others[i].perSecond)
	}
	return median(ratios)
}

func (r results) report(o options) string {
	var out strings.Builder
	fmt.Fprintf(&out, "Medians of %d rounds of %s. Protocol %s, %s, %s/%s, %d cores, which the clients and the resource server share with what is measured.\n\n",
		o.rounds, o.slice, protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	out.WriteString("| what | measured | wanted | |\n|---|---|---|---|\n")
	row := func(what, format string, measured float64, relation string, limit float64) {
		verdict := "holds"
		if math.IsNaN(measured) || relation == "≥" && measured < limit || relation == "≤" && measured > limit {
			verdict = "**does not hold**"
		}
		fmt.Fprintf(&out, "| %s | "+format+" | %s "+format+" | %s |\n", what, measured, relation, limit, verdict)
	}
	for _, c := range allCalls {
		if c.clients < maxClients && strings.Contains(c.name, o.only) {
			row(c.name+", 16 clients: calls/s to the MCP library alone", "%.2f ×", r.against(c.name, "sdk"), "≥", 1.3)
			row(c.name+", 16 clients: calls/s to a bare forwarder", "%.2f ×", r.against(c.name, "bare"), "≥", 0.45)
		}
	}
	row("search of 38 KB in one process: time of ours", "%.2f ms", r.ownTime, "≤", 0.45)
	row("search of 38 KB in one process: allocations of ours", "%.0f", r.ownObjects, "≤", 600)
	row("peak memory, 64 clients, large answers", "%.0f MB", r.peak/1e6, "≤", 150)
	row("stdio, from its start to its first answer", "%.1f ms", median(r.starts), "≤", 25)
	row("the program, stripped", "%.1f MB", r.binary/1e6, "≤", 30)
	out.WriteString("\n| call | clients | of | calls/s | p50 ms | p99 ms |\n|---|---|---|---|---|---|\n")
	for _, c := range allCalls {
		for _, subject := range []string{"bare", "sdk", "ours"} {
			var perSecond, p50, p99 []float64
			for _, s := range r.cells[[2]string{c.name, subject}] {
				perSecond, p50, p99 = append(perSecond, s.perSecond), append(p50, s.p50), append(p99, s.p99)
			}
			if len(perSecond) > 0 {
				fmt.Fprintf(&out, "| %s | %d | %s | %.0f | %.2f | %.2f |\n", c.name, c.clients, subject, median(perSecond), median(p50), median(p99))
			}
		}
	}
	return out.String()
}
