//go:build chaos

package chaos

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The timeouts that the programs of the table are started with, and that of the authority, which has no flag.
const (
	readTimeout      = 3 * time.Second
	callDeadline     = 8 * time.Second
	authorityTimeout = 5 * time.Second
)

var quick = []string{"--read-timeout", readTimeout.String(), "--deadline", callDeadline.String()}

// After says when an answer comes.
type after int

const (
	atOnce after = iota // after all retries, before the read's timeout
	afterRead
	afterAuthority
)

// String returns the text in the table.
func (a after) String() string {
	return [...]string{"at once", "at the read timeout", "after 5 s"}[a]
}

// bounds returns the shortest and the longest allowed time of an answer.
func (a after) bounds() (least, most time.Duration) {
	switch a {
	case afterRead:
		return readTimeout - 100*time.Millisecond, readTimeout + slack
	case afterAuthority:
		return authorityTimeout - 100*time.Millisecond, authorityTimeout + slack
	default:
		return 0, readTimeout
	}
}

// A scenario is a row of the table.
type scenario struct {
	name     string
	after    after
	together bool     // all tools are called at the same time, since each waits long
	codes    []string // codes of the resource server that are passed on
	says     string   // text that each answer must contain
	setup    func(*testing.T) stage
}

// A stage is a program with something that can be broken and repaired.
type stage struct {
	program        *program
	broken, mended func()
	bad            []call // the calls that meet the fault; nil: those that are good otherwise
	strangers      bool   // each call has a different token, so the authority is asked
	unlogged       bool   // the log cannot be read
}

func scenarios() []scenario {
	var all []scenario
	for _, f := range faults {
		row := scenario{name: f.name, codes: f.codes, says: f.says, setup: func(t *testing.T) stage {
			server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
				if asked(r) == f.word() {
					f.answer(w, r)
					return
				}
				healthy(w, r)
			})
			return stage{
				program: start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, quick...)}),
				broken:  func() {}, mended: func() {}, bad: callsOf(f.word()),
			}
		}}
		if f.slow {
			row.after = afterRead
		}
		all = append(all, row)
	}
	return append(all, outages()...)
}

// TestReliability runs every scenario with every tool and compares the results with the table in docs/reliability.md: every answer is
// typed and in time, the next good call is served, and the process keeps no resources.
func TestReliability(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]string{} // lines of the table, by scenario
	all := scenarios()
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range all {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				line := s.line(s.run(t))
				mu.Lock()
				defer mu.Unlock()
				if !t.Failed() {
					seen[s.name] = line
				}
			})
		}
	})
	compare(t, all, seen)
}

// run returns the code of each tool's answer.
func (s scenario) run(t *testing.T) map[string]string {
	st := s.setup(t)
	p, checker := st.program, newChecker(t, s.codes...)
	client := newCaller(p.url, 8)
	good := callsOf("notes")
	bad := st.bad
	if bad == nil {
		bad = good
	}
	var strangers int
	token := func() string {
		if st.strangers {
			strangers++
			return fmt.Sprintf("stranger-%d", strangers)
		}
		return "another-caller"
	}
	serves := func(c call) {
		t.Helper()
		// An open breaker needs time to close; everything else must recover at once.
		eventually(t, 40*time.Second, "a good call is served again", func() error {
			if a := client.give(t.Context(), token(), c); a.code != "ok" {
				return fmt.Errorf("%s: %s", c.tool, a)
			}
			return nil
		})
	}
	for range 3 { // enough good reads that a few bad ones do not look like an outage
		for _, c := range good {
			serves(c)
		}
	}
	client.close()
	before, err := p.usage()
	if err != nil {
		t.Fatal(err)
	}

	codes := map[string]string{}
	var mu sync.Mutex
	one := func(c call, token string) {
		a := client.give(t.Context(), token, c)
		least, most := s.after.bounds()
		if err := checker.check(a, most); err != nil {
			t.Errorf("%s: %v", c.tool, err)
		} else if a.took < least {
			t.Errorf("%s: %s after %s, sooner than %s", c.tool, a.code, a.took, least)
		}
		if !strings.Contains(a.body, s.says) {
			t.Errorf("%s does not say %s: %s", c.tool, s.says, a.body)
		}
		code := "`" + a.code + "`"
		if a.status != http.StatusOK {
			code = fmt.Sprintf("%d %s", a.status, code)
		}
		mu.Lock()
		defer mu.Unlock()
		codes[c.tool] = code
	}
	if s.together {
		st.broken()
		var wg sync.WaitGroup
		for _, c := range bad {
			who := token()
			wg.Go(func() { one(c, who) })
		}
		wg.Wait()
		st.mended()
	}
	for i, c := range bad {
		if !s.together {
			st.broken()
			one(c, token())
			st.mended()
		}
		serves(good[i])
	}

	client.close()
	p.waitUntilIdle(t, before)
	after, err := p.usage()
	if err != nil {
		t.Fatal(err)
	}
	const most = 200 << 20
	if after.peak > most {
		t.Errorf("it took %d MiB at its peak", after.peak>>20)
	}
	t.Logf("descriptors %d → %d, threads %d → %d, memory %d → %d MiB, peak %d MiB", before.descriptors, after.descriptors,
		before.threads, after.threads, before.rss>>20, after.rss>>20, after.peak>>20)
	if st.unlogged {
		return codes
	}
	if log := p.stderr.String(); strings.Contains(log, secret) || strings.Contains(log, `"panic`) || strings.Contains(log, "stranger-") {
		t.Errorf("the log has a panic, a token or what the resource server sent:\n%s", log)
	}
	p.quit(t)
	return codes
}

// line returns the row of the table.
func (s scenario) line(codes map[string]string) string {
	tools := map[string][]string{}
	for _, c := range callsOf("") {
		tools[codes[c.tool]] = append(tools[codes[c.tool]], c.tool)
	}
	var cells []string
	for _, code := range slices.Sorted(maps.Keys(tools)) {
		cell := strings.ReplaceAll(code, "`ok`", "the answer")
		if len(tools) > 1 {
			cell += " (" + strings.Join(tools[code], ", ") + ")"
		}
		cells = append(cells, cell)
	}
	return fmt.Sprintf("| %s | %s | %s |", s.name, strings.Join(cells, "; "), s.after)
}

// The table is between these lines of the page.
const (
	reliabilityPage = "../../docs/reliability.md"
	tableHead       = "| what fails | what each listed tool answers | when |\n|---|---|---|\n"
)

// compare compares the page with the results, or writes it. Rows that this machine cannot run, or that were not selected, are left
// unchanged.
func compare(t *testing.T, all []scenario, seen map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(reliabilityPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), tableHead)
	if !found {
		t.Fatalf("%s has no table", reliabilityPage)
	}
	old := map[string]string{}
	lines := 0
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		lines += len(line)
		name, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		old[name] = strings.TrimSuffix(line, "\n")
	}
	table := ""
	for _, s := range all {
		line, ok := seen[s.name]
		if !ok {
			line, ok = old[s.name]
		}
		if !ok {
			continue
		}
		table += line + "\n"
		if !*update && line != old[s.name] {
			t.Errorf("the page has\n  %s\nand now it is\n  %s\n(make chaos UPDATE=-update rewrites it)", old[s.name], line)
		}
	}
	if *update {
		if err := os.WriteFile(reliabilityPage, []byte(before+tableHead+table+rest[lines:]), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if len(old) != strings.Count(table, "\n") {
		t.Errorf("the page has %d rows, and there are %d scenarios", len(old), strings.Count(table, "\n"))
	}
}
