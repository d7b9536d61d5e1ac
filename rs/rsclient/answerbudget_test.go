package rsclient_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// page is an answer of the given size, with or without a Content-Length.
func page(bytes int, announced bool) roundTrip {
	return func(*http.Request) (*http.Response, error) {
		r := answer(200, "")
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(`"`+strings.Repeat("x", bytes-2)+`"`)), -1
		if announced {
			r.ContentLength = int64(bytes)
		}
		return r, nil
	}
}

// holding reads for a grant in a call that stays open. It returns the code of the error, and a function that ends the call.
func holding(ctx context.Context, client *rsclient.Client, grant string) (rs.Code, func()) {
	held, reads, _ := rsclient.WithCallReads(ctx)
	_, err := client.For(caller(grant)).Do(held, rs.Request{Path: "/v1/x"})
	return code(err), reads.End
}

// Two large calls can run concurrently, one of them for each grant. A call that waits too long is refused; memory that is
// released, in any way, serves the next call.
func TestLargeAnswersAreBounded(t *testing.T) {
	for name, announced := range map[string]bool{"announced": true, "not announced": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				h.now(page(2<<20, announced))
				client := clientFor(t, h, rsclient.Options{NoBreaker: true})
				got, endFirst := holding(t.Context(), client, "a")
				if got != "" {
					t.Fatal(got)
				}
				began := time.Now()
				got, end := holding(t.Context(), client, "a")
				if end(); got != "too_many_calls" || time.Since(began) != rsclient.DefaultReadTimeout {
					t.Errorf("a second large call of the grant: %q after %s", got, time.Since(began))
				}
				got, endOther := holding(t.Context(), client, "b")
				if got != "" {
					t.Errorf("a large call of another grant: %s", got)
				}
				ctx, hangUp := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, hangUp) // while it waits for one of the others to end
				if got, end := holding(ctx, client, "c"); got != "canceled" {
					t.Errorf("a caller that hung up: %q", got)
				} else {
					end()
				}
				h.now(page(1000, announced))
				for range 100 {
					if got, end := holding(t.Context(), client, "a"); got != "" {
						t.Errorf("a small call meanwhile: %s", got)
					} else {
						defer end()
					}
				}
				h.now(page(2<<20, announced))
				endFirst()
				endOther()
				for _, grant := range []string{"a", "b"} {
					if got, end := holding(t.Context(), client, grant); got != "" {
						t.Errorf("after the end of the others: %s", got)
					} else {
						defer end()
					}
				}
			})
		})
	}
}

// The answers of all members of a package count as one caller's; those of a token not yet introspected count for that token.
func TestWhoseAnswersAReadCountsAmong(t *testing.T) {
	for name, row := range map[string]struct {
		holder rsclient.Caller // the caller; zero for the owner of the token
		kind   string          // of the tokens
		second rs.Code
	}{
		"tokens of two grants":               {rsclient.Caller{}, auth.KindClient, ""},
		"tokens that nobody has judged":      {rsclient.Caller{}, "", ""},
		"tokens of the members of a package": {rsclient.Caller{Kind: auth.KindPackage, GrantID: "p"}, auth.KindClient, "too_many_calls"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				h.now(page(2<<20, true)) // a caller may have one of two large calls
				client := clientFor(t, h, rsclient.Options{NoBreaker: true})
				for i, want := range []rs.Code{"", row.second} {
					ctx, reads, _ := rsclient.WithCallReads(t.Context())
					defer reads.End()
					if row.holder.Kind != "" {
						ctx = rsclient.WithCaller(ctx, row.holder)
					}
					token := rsclient.Caller{Token: rs.NewToken(strconv.Itoa(i)), Kind: row.kind}
					if _, err := client.For(token).Do(ctx, rs.Request{Path: "/v1/x"}); code(err) != want {
						t.Errorf("large call %d: %v, want %q", i, err, want)
					}
				}
			})
		})
	}
}

// Failed reads, whose answers are too large or not JSON, and reads outside of a record keep no bytes of the budget.
func TestFailedReadsGiveTheirBytesBack(t *testing.T) {
	h := &host{}
	client := clientFor(t, h, rsclient.Options{NoBreaker: true, ReadTimeout: time.Minute})
	for _, body := range []roundTrip{page(17<<20, true), page(17<<20, false), func(*http.Request) (*http.Response, error) { return answer(200, strings.Repeat("x", 2<<20)), nil }, page(2<<20, true)} {
		h.now(body)
		for range 3 {
			_, _ = client.For(caller("a")).Do(t.Context(), rs.Request{Path: "/v1/x"})
		}
	}
	held, reads, _ := rsclient.WithCallReads(t.Context())
	defer reads.End()
	h.now(func(*http.Request) (*http.Response, error) { return answer(200, strings.Repeat("x", 10<<20)), nil }) // not JSON
	_, _ = client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"})
	h.now(page(10<<20, true))
	if _, err := client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"}); code(err) != "response_too_large" {
		t.Errorf("two large answers in one call: %v", err)
	}
}

// The small answers of one grant can take only a share of the memory.
func TestSmallAnswersOfOneGrantAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		h.now(page(1<<20, true))
		client := clientFor(t, h, rsclient.Options{NoBreaker: true, AnswerBytes: 40 << 20}) // 8 MiB for small ones, 2 of one grant
		served := 0
		for range 6 {
			got, end := holding(t.Context(), client, "a")
			defer end()
			if got == "" {
				served++
			}
		}
		if served != 3 { // two, and one that became the grant's large call
			t.Errorf("%d answers of 1 MiB are held for one grant", served)
		}
		if got, end := holding(t.Context(), client, "b"); got != "" {
			t.Errorf("another grant: %s", got)
		} else {
			end()
		}
	})
}

// As in docs/limits.md, one grant may have a quarter of the memory for small answers, and all but one of the two to four large
// calls.
func TestSharesOfTheAnswerMemory(t *testing.T) {
	for name, row := range map[string]struct {
		memory, page int
		one, others  int // calls of one grant, and then one call of each of ten others, that are served
	}{
		"small answers, the least memory":  {1, 1 << 19, 4 + 1, 10},         // a quarter of 8 MiB, and one large call
		"1 MiB is not large":               {1, 1 << 20, 2 + 1, 6 + 1},      // two of 8 MiB, and one of two large calls
		"a byte more is":                   {1, 1<<20 + 1, 1, 1},            // two large calls
		"large answers, the default":       {64 << 20, 2 << 20, 1, 1},       //
		"large answers, 112 MiB":           {112 << 20, 2 << 20, 2, 1},      // three
		"large answers, with memory":       {256 << 20, 2 << 20, 3, 1},      // four
		"large answers, with much of it":   {1 << 30, 2 << 20, 3, 1},        // no more
		"small answers, a larger memory":   {72 << 20, 1 << 20, 10 + 1, 10}, // a quarter of 40 MiB
		"small answers, all that there is": {1, 1<<20 - 1, 2 + 1, 6 + 1},    //
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &host{}
				h.now(page(row.page, true))
				client := clientFor(t, h, rsclient.Options{NoBreaker: true, AnswerBytes: int64(row.memory)})
				served := func(grant string, calls int) (n int) {
					for range calls {
						got, end := holding(t.Context(), client, grant)
						t.Cleanup(end)
						if got == "" {
							n++
						}
					}
					return n
				}
				one, others := served("a", row.one+2), 0
				for i := range 10 {
					others += served(string(rune('b'+i)), 1)
				}
				if one != row.one || others != row.others {
					t.Errorf("%d calls of one grant and %d of others are served, not %d and %d", one, others, row.one, row.others)
				}
			})
		})
	}
}

// The limit applies to one answer and to the sum of the answers of a call.
func TestTheLargestAnswersOfACall(t *testing.T) {
	const limit = 2 << 20
	for name, row := range map[string]struct {
		pages []int
		want  string // the error of the last one; "" if it is served
	}{
		"the largest":                 {[]int{limit}, ""},
		"a byte more":                 {[]int{limit + 1}, "answer is larger than 2097152"},
		"two that are as large":       {[]int{limit * 3 / 4, limit / 4}, ""},
		"two that are together more":  {[]int{limit * 3 / 4, limit/4 + 2}, "together larger than 2097152"},
		"small ones that are as many": {[]int{limit / 4, limit / 4, limit / 4, limit / 4}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{}
			client := clientFor(t, h, rsclient.Options{NoBreaker: true, MaxResponseBytes: limit})
			held, reads, _ := rsclient.WithCallReads(t.Context())
			defer reads.End()
			for i, bytes := range row.pages {
				h.now(page(bytes, true))
				_, err := client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"})
				last := i == len(row.pages)-1
				if (err != nil) != (last && row.want != "") ||
					err != nil && (code(err) != "response_too_large" || !strings.Contains(err.Error(), row.want)) {
					t.Errorf("answer %d: %v", i, err)
				}
			}
		})
	}
}

// While one read of a call waits for memory, the call's other reads end at their own deadlines, and small ones of it are served.
func TestAReadThatWaitsForMemoryDoesNotBlockTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		client := clientFor(t, h, rsclient.Options{NoBreaker: true})
		h.now(page(2<<20, true))
		_, endOther := holding(t.Context(), client, "a") // the grant's one large call
		held, reads, _ := rsclient.WithCallReads(t.Context())
		first := make(chan error)
		go func() {
			_, err := client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"})
			first <- err
		}()
		synctest.Wait()
		began := time.Now()
		short, cancel := context.WithTimeout(held, time.Second)
		defer cancel()
		if _, err := client.For(caller("a")).Do(short, rs.Request{Path: "/v1/x"}); code(err) != "too_many_calls" || time.Since(began) != time.Second {
			t.Errorf("a read with a deadline of a second: %v after %s", err, time.Since(began))
		}
		second := make(chan error)
		go func() {
			_, err := client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"})
			second <- err
		}()
		synctest.Wait()
		endOther()
		if err := <-first; err != nil {
			t.Errorf("when the memory is free: %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("a read that waited for the first: %v", err)
		}
		reads.End()
		if got, end := holding(t.Context(), client, "a"); got != "" {
			t.Errorf("after both: %s", got)
		} else {
			end()
		}
	})
}

// A call that ends while one of its reads waits for memory keeps none.
func TestACallThatEndsWhileItWaitsKeepsNoMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &host{}
		client := clientFor(t, h, rsclient.Options{NoBreaker: true})
		h.now(page(2<<20, true))
		_, endOther := holding(t.Context(), client, "a")
		held, reads, _ := rsclient.WithCallReads(t.Context())
		waits := make(chan error)
		go func() {
			_, err := client.For(caller("a")).Do(held, rs.Request{Path: "/v1/x"})
			waits <- err
		}()
		synctest.Wait()
		reads.End()
		endOther()
		if err := <-waits; code(err) != "canceled" {
			t.Error(err)
		}
		if got, end := holding(t.Context(), client, "a"); got != "" {
			t.Errorf("the next call: %s", got)
		} else {
			end()
		}
	})
}
