package fanout_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// BenchmarkFanout searches packages of several sizes whose members answer at once with a page of 20 hits. The floor makes
// the same number of reads one after the other and only parses the hits.
func BenchmarkFanout(b *testing.B) {
	for _, size := range []int{1, 8, 64} {
		answer, err := hitsOf("x", 200)(context.Background(), searchRequest("limit", "20"))
		if err != nil {
			b.Fatal(err)
		}
		doer := memberDoer(func(context.Context, rs.Request) (*rs.Response, error) { return answer, nil })
		members := make([]fanout.Member, size)
		for i := range members {
			members[i] = aMember(fmt.Sprint(i))
		}
		p := fanout.NewPackage(
			fanout.Membership{PackageID: "pkg_1", Members: members},
			func(rs.Token) rs.Doer { return doer },
			fanout.PackageOptions{},
		)
		request := searchRequest("limit", "20")
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Do(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/floor", size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range size {
					response, _ := doer.Do(b.Context(), request)
					var page struct {
						Data []json.RawMessage `json:"data"`
					}
					if err := json.Unmarshal([]byte(response.Body), &page); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkFanoutOverHTTP searches packages over HTTP whose members each take five milliseconds to answer. As many members as
// the width allows are read concurrently, so a package of eight takes little longer than one member.
func BenchmarkFanoutOverHTTP(b *testing.B) {
	const latency = 5 * time.Millisecond
	answer, err := hitsOf("x", 200)(context.Background(), searchRequest("limit", "20"))
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(latency):
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(answer.Body))
	}))
	defer server.Close()
	client, err := rsclient.New(rsclient.Options{Base: server.URL})
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{1, 8, 64} {
		members := make([]fanout.Member, size)
		for i := range members {
			members[i] = aMember(fmt.Sprint(i))
		}
		p := fanout.NewPackage(
			fanout.Membership{PackageID: "pkg_1", Members: members},
			func(t rs.Token) rs.Doer { return client.For(rsclient.Caller{Token: t}) },
			fanout.PackageOptions{},
		)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Do(b.Context(), searchRequest("limit", "20")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
