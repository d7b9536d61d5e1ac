package transport_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// The law of the hosted chain, held against random interleavings of several people's calls with revocations, expiries,
// changes of packages, hang-ups and the passing of time:
//
//   - a read carries the caller's own token, or that of a member of the caller's package, and never a package's own;
//   - every byte of an answer belongs to a grant whose token its reads may carry;
//   - what the authority has ended is refused within a minute, and at once when the resource server answers 401;
//   - of a call of someone who has been out for long, the resource server hears nothing.
//
// Each call puts a name of its own into what it asks for; that ties a read to its call. Each grant stamps its answers.

// believed is how long an authority's word holds, at most.
const believed = time.Minute

// skew is how long after its expiry a token may still be taken.
const skew = 30 * time.Second

// A machine runs steps against one mounted handler.
type machine struct {
	*realm
	url string

	calls atomic.Int64
	tally struct{ good, refused, failed, hungUp atomic.Int64 }

	logMu      sync.Mutex
	done       []callRecord
	violations []string
}

// A callRecord is one call as its caller saw it.
type callRecord struct {
	name       string
	caller     *bearer
	start, end time.Time
}

func (m *machine) violate(format string, args ...any) {
	m.logMu.Lock()
	defer m.logMu.Unlock()
	m.violations = append(m.violations, fmt.Sprintf(format, args...))
}

// run lets several goroutines take random steps, then judges all that was read.
func (m *machine) run(t *testing.T, seed uint64, workers, steps int) {
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(worker)))
			for range steps {
				m.step(t, random)
			}
		})
	}
	all.Wait()
	m.judgeReads()
}

// populate makes people: client tokens, and packages, some of whose members are used on their own as well.
func (m *machine) populate() {
	for range 3 {
		m.issue()
		m.issuePackage()
	}
}

func (m *machine) issuePackage() { m.issue(m.issue(), m.issue(), m.issue()) }

// pick chooses a bearer.
func (m *machine) pick(random *rand.Rand, fit func(*bearer) bool) *bearer {
	m.mu.Lock()
	defer m.mu.Unlock()
	var fitting []*bearer
	for _, b := range m.bearers {
		if fit(b) {
			fitting = append(fitting, b)
		}
	}
	if len(fitting) == 0 {
		return nil
	}
	return fitting[random.IntN(len(fitting))]
}

func anyone(*bearer) bool     { return true }
func living(b *bearer) bool   { return b.ended.IsZero() && !b.refused && !b.refusedByRS }
func packages(b *bearer) bool { return b.pkg && living(b) }

func (m *machine) step(t *testing.T, random *rand.Rand) {
	switch n := random.IntN(100); {
	case n < 72:
		if b := m.pick(random, living); b != nil && random.IntN(5) > 0 {
			m.call(t, random, b)
			return
		}
		m.call(t, random, m.pick(random, anyone))
	case n < 80:
		m.clock.advance(time.Duration(1+random.IntN(40)) * time.Second)
	case n < 82:
		if b := m.pick(random, living); b != nil {
			m.end(b, false)
		}
	case n < 85:
		if b := m.pick(random, living); b != nil {
			m.end(b, true)
		}
	case n < 87:
		if b := m.pick(random, func(b *bearer) bool { return living(b) && !b.pkg }); b != nil {
			m.change(func(time.Time) { b.refusedByRS = b.ended.IsZero() })
		}
	case n < 89:
		m.issueUntil(m.clock.now().Add(time.Duration(random.IntN(200)) * time.Second))
	case n < 94:
		m.changePackage(random)
	case n < 97:
		m.issue()
	default:
		m.issuePackage()
	}
}

// changePackage puts another member in the place of one.
func (m *machine) changePackage(random *rand.Rand) {
	b, fresh := m.pick(random, packages), m.issue()
	if b == nil {
		return
	}
	m.change(func(now time.Time) {
		if at := slices.IndexFunc(b.members, func(c membership) bool { return c.until.IsZero() }); at >= 0 {
			b.members[at].until = now
		}
		b.members = append(b.members, membership{bearer: fresh, from: now})
	})
}

// arguments are a random read's. Sometimes they name a connection that is somebody else's.
func (m *machine) arguments(random *rand.Rand, b *bearer, name string) (tool, arguments string) {
	m.mu.Lock()
	connection := b.connection()
	if b.pkg {
		connection = b.members[random.IntN(len(b.members))].connection()
	}
	if random.IntN(10) == 0 {
		connection = m.bearers[random.IntN(len(m.bearers))].connection()
	}
	m.mu.Unlock()
	switch random.IntN(6) {
	case 0, 1:
		return "search", fmt.Sprintf(`{"q":%q}`, name)
	case 2:
		return "search", fmt.Sprintf(`{"q":%q,"connection_id":%q}`, name, connection)
	case 3:
		return "query_records", fmt.Sprintf(`{"stream":"messages","connection_id":%q,"filter":{"subject":%q}}`, connection, name)
	case 4:
		return "fetch_blob", fmt.Sprintf(`{"blob_id":%q}`, name)
	default:
		return "fetch", fmt.Sprintf(`{"id":"%s/messages:%s"}`, connection, name)
	}
}

// call makes one call and judges its answer.
func (m *machine) call(t *testing.T, random *rand.Rand, b *bearer) {
	name := fmt.Sprintf("call%dz", m.calls.Add(1))
	tool, arguments := m.arguments(random, b, name)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	if random.IntN(8) == 0 {
		come := m.hang(name)
		go func() { // the caller hangs up as soon as its read has arrived
			select {
			case <-come:
				cancel()
			case <-ended:
			}
		}()
	}
	m.mu.Lock()
	before := *b // what was true before the call began holds throughout: nothing that has ended comes back
	m.mu.Unlock()
	record := callRecord{name: name, caller: b, start: m.clock.now()}
	status, answer, err := m.post(ctx, b.token, tool, arguments, random.IntN(2) == 0)
	record.end = m.clock.now()
	close(ended)
	m.logMu.Lock()
	m.done = append(m.done, record)
	m.logMu.Unlock()
	switch {
	case err != nil:
		if ctx.Err() == nil {
			m.violate("%s: %v", name, err)
		}
		m.tally.hungUp.Add(1)
		return
	case status != http.StatusOK:
		m.tally.refused.Add(1)
	case strings.Contains(answer, `"isError":true`):
		m.tally.failed.Add(1)
	default:
		m.tally.good.Add(1)
		if !stamps.MatchString(answer) {
			m.violate("%s: an answer without data: %s", name, answer)
		}
	}
	m.judgeAnswer(record, before, status, answer)
}

// judgeAnswer holds one answer against the law.
func (m *machine) judgeAnswer(r callRecord, before bearer, status int, answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	allowed := r.grants()
	for _, found := range stamps.FindAllStringSubmatch(answer, -1) {
		if !slices.Contains(allowed, found[1]) {
			m.violate("%s by %s: the answer has data of %s, not one of %v", r.name, r.caller.grant, found[1], allowed)
		}
	}
	for _, b := range m.bearers {
		if strings.Contains(answer, b.token) {
			m.violate("%s by %s: the answer has the token of %s", r.name, r.caller.grant, b.grant)
		}
	}
	out := ""
	switch {
	case !before.ended.IsZero() && r.start.After(before.ended.Add(believed)):
		out = "it was ended more than a minute before"
	case !before.expires.IsZero() && r.start.After(before.expires.Add(skew)):
		out = "it had expired"
	case !before.ended.IsZero() && before.refused && !before.pkg && m.heard(r.name):
		out = "the resource server answered 401 and the authority had ended it"
	}
	if out != "" && status != http.StatusUnauthorized && status != http.StatusTooManyRequests { // 429: all callers share an address
		m.violate("%s by %s: %s, and the answer is %d %s", r.name, r.caller.grant, out, status, answer)
	}
	// A package may be judged by a question that was put about it just before, on behalf of another call.
	if !before.ended.IsZero() && before.refused && status == http.StatusOK && !strings.Contains(answer, `"isError":true`) {
		m.violate("%s by %s: it was ended everywhere, and read all the same: %s", r.name, r.caller.grant, answer)
	}
	if status != http.StatusOK && status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusTooManyRequests {
		m.violate("%s by %s: the HTTP chain answers %d %s", r.name, r.caller.grant, status, answer)
	}
}

// heard reports whether the resource server was asked anything for a call. The realm is locked.
func (w *realm) heard(call string) bool {
	return slices.ContainsFunc(w.asked, func(a asking) bool { return a.call == call })
}

// grants are those whose data the caller may see: its own, and of a package those of its members, of which one that has
// left may be believed to belong to it for a minute.
func (r callRecord) grants() []string {
	grants := []string{r.caller.grant}
	for _, c := range r.caller.members {
		if !c.from.After(r.end) && (c.until.IsZero() || c.until.Add(believed).After(r.start)) {
			grants = append(grants, c.grant)
		}
	}
	return grants
}

// judgeReads holds all reads against the law.
func (m *machine) judgeReads() {
	m.mu.Lock()
	defer m.mu.Unlock()
	calls := map[string]callRecord{}
	for _, r := range m.done {
		calls[r.name] = r
	}
	for _, read := range m.asked {
		reader, known := m.byToken[read.token]
		call, named := calls[read.call]
		if read.schema && known {
			call = callRecord{name: "a read of the schema"}
			if at := slices.IndexFunc(m.done, func(r callRecord) bool { return slices.Contains(r.grants(), reader.grant) }); at >= 0 {
				call, named = m.done[at], true
			}
		}
		switch {
		case !known || !named:
			m.violate("a read by %q for %q, which nobody made", read.token, read.call)
		case m.kinds[reader.token] == auth.KindOwner:
			m.violate("%s: the resource server saw the owner's token of %s", call.name, reader.grant)
		case reader.pkg:
			m.violate("%s: the resource server saw the package token of %s", call.name, reader.grant)
		case call.caller.pkg && reader == call.caller || !slices.Contains(call.grants(), reader.grant):
			m.violate("%s by %s: read with the token of %s, not one of %v", call.name, call.caller.grant, reader.grant, call.grants())
		}
	}
	heard := map[string]bool{}
	for _, read := range m.asked {
		heard[read.call] = true
	}
	for _, r := range m.done { // whoever has been out long enough is not let in, so nothing is read
		b := r.caller
		out := !b.ended.IsZero() && r.start.After(b.ended.Add(believed)) || !b.expires.IsZero() && r.start.After(b.expires.Add(skew))
		if out && heard[r.name] {
			m.violate("%s by %s: something was read for one who is out", r.name, b.grant)
		}
	}
}

// post makes a tool call, in either protocol era.
func (m *machine) post(ctx context.Context, token, tool, arguments string, modern bool) (int, string, error) {
	meta := ""
	if modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool, arguments, meta)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	if modern {
		request.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		request.Header.Set("Mcp-Method", "tools/call")
		request.Header.Set("Mcp-Name", tool)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && !json.Valid(text) {
		return 0, "", fmt.Errorf("status %d and no JSON: %s", response.StatusCode, text)
	}
	return response.StatusCode, fmt.Sprint(response.Header, string(text)), err
}

// S3-R6 S3-6c S3-R16 S0-R3
func TestEveryReadIsTheCallersOwn(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			m := &machine{realm: newRealm(t)}
			m.url = m.mount(t, nil)
			m.populate()
			m.run(t, seed, 6, 60)
			for _, violation := range m.violations {
				t.Error(violation)
			}
			if good, refused, failed, hungUp := m.tally.good.Load(), m.tally.refused.Load(), m.tally.failed.Load(), m.tally.hungUp.Load(); good < 50 ||
				refused == 0 ||
				failed == 0 ||
				hungUp == 0 {
				t.Errorf("the machine idles: %d good, %d refused, %d failed, %d hung up", good, refused, failed, hungUp)
			}
		})
	}
}

// The same law with 64 callers and 128 grants, where packages hold owners' tokens too, for as long as LEAK says (make leak).
// S0-R3 S3-R6 S3-R16 D27
func TestNothingLeaksBetweenManyCallers(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("LEAK"))
	if err != nil {
		t.Skip("make leak runs it")
	}
	began := time.Now()
	var calls int64
	for seed := uint64(1); time.Since(began) < duration; seed++ {
		m := &machine{realm: newRealm(t)}
		m.kinds = map[string]string{}
		m.url = m.mount(t, nil)
		for range 16 {
			owner := m.issue()
			m.change(func(time.Time) { m.kinds[owner.token] = auth.KindOwner })
			m.issue(m.issue(), owner, m.issue())
		}
		for len(m.bearers) < 128 {
			m.issue()
		}
		m.run(t, seed, 64, 40)
		for _, violation := range m.violations {
			t.Error(violation)
		}
		calls += m.calls.Load()
		m.Close()
	}
	t.Logf("%d calls", calls)
}

// A faultyCache remembers under a key that does not tell all tokens apart.
type faultyCache struct {
	web.Authenticator
	key  func(rs.Token) string
	mu   sync.Mutex
	held map[string]auth.Principal
}

func (c *faultyCache) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	key := c.key(token)
	c.mu.Lock()
	held, found := c.held[key]
	c.mu.Unlock()
	if found {
		return held, nil
	}
	principal, err := c.Authenticator.Authenticate(ctx, token)
	if err == nil {
		c.mu.Lock()
		c.held[key] = principal
		c.mu.Unlock()
	}
	return principal, err
}

// A faultyMembers gives whoever comes the members of the first package that came, and everything else that is right.
type faultyMembers struct {
	web.Authenticator
	mu    sync.Mutex
	first auth.Package
}

func (c *faultyMembers) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	principal, err := c.Authenticator.Authenticate(ctx, token)
	c.mu.Lock()
	defer c.mu.Unlock()
	if principal.Package != nil && c.first == nil {
		c.first = principal.Package
	}
	if principal.Package != nil {
		principal.Package = c.first
	}
	return principal, err
}

// The law above is worth something: it does not hold for a cache that mixes callers up.
func TestTheLawDetectsAFaultyCache(t *testing.T) {
	cache := func(key func(rs.Token) string) func(web.Authenticator) web.Authenticator {
		return func(inner web.Authenticator) web.Authenticator {
			return &faultyCache{Authenticator: inner, key: key, held: map[string]auth.Principal{}}
		}
	}
	for name, wrap := range map[string]func(web.Authenticator) web.Authenticator{
		"one entry for everybody":    cache(func(rs.Token) string { return "" }),
		"a key of the token's start": cache(func(token rs.Token) string { return token.Reveal()[:4] }),
		"a hash that is cut to a bit": cache(func(token rs.Token) string {
			sum := sha256.Sum256([]byte(token.Reveal()))
			return fmt.Sprint(sum[0] & 1)
		}),
		"the right key, and no end": cache(rs.Token.Reveal),
		"one package for everybody": func(inner web.Authenticator) web.Authenticator {
			return &faultyMembers{Authenticator: inner}
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine{realm: newRealm(t)}
			m.url = m.mount(t, wrap)
			m.populate()
			for seed := uint64(1); seed <= 20 && len(m.violations) == 0; seed++ {
				m.run(t, seed, 4, 30)
			}
			if len(m.violations) == 0 {
				t.Error("the law holds for a cache that mixes callers up")
			}
		})
	}
}
