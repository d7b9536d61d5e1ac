package browse

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestWhatAnAddressMeans(t *testing.T) {
	for _, c := range []struct {
		name, raw, link string // link is the start of the refusal, or the canonical address
	}{
		{"an empty query shows the streams", "", "/"},
		{"the streams from an offset", "offset=100", "/?offset=100"},
		{
			"a form with all fields empty", "view=records&stream=a&connection=&filter=&operator=&value=&sort=&order=desc",
			"/?order=desc&stream=a&view=records",
		},
		{"a filter without a value", "view=records&stream=a&filter=x&operator=gte&value=", "/?stream=a&view=records"},
		{
			"two filters of one field", "view=records&stream=a&filter=x&operator=gte&value=1&filter=x&operator=lt&value=2",
			"/?filter=x&filter=x&operator=gte&operator=lt&stream=a&value=1&value=2&view=records",
		},
		{"arguments on lines", "view=call&tool=a&arguments=%7B%0A%7D", "/?arguments=%7B%0A%7D&tool=a&view=call"},
		{"an unknown view", "view=admin", "There is no such view"},
		{"two views", "view=search&view=call", "The address has view twice"},
		{"a parameter of another view", "view=search&id=a", "The address has a parameter"},
		{"filters of another view", "view=months&stream=a&filter=x&operator=&value=1", "The address has a parameter"},
		{"a parameter twice", "view=search&q=a&q=b", "The address has q twice"},
		{"no stream", "view=records", "The address lacks stream"},
		{"no id", "view=record&id=", "The address lacks id"},
		{"a null character", "view=search&q=%00", "The address has a character in q"},
		{"half a surrogate pair", "view=search&q=%ff", "The address has a character in q"},
		{"half an escape", "view=search&q=%zz", "The address is damaged"},
		{"a query that is too long", "view=search&q=" + strings.Repeat("a", maxQuery), "The address is damaged"},
		{"a filter without a comparison", "view=records&stream=a&filter=x&value=1", "The filters of the address"},
		{"five filters", "view=records&stream=a" + strings.Repeat("&filter=x&operator=&value=1", 5), "The filters of the address"},
		{"an unknown comparison", "view=records&stream=a&filter=x&operator=or&value=1", "The address has an unknown comparison"},
		{"a field that equals two values", "view=records&stream=a&filter=x&operator=&value=1&filter=x&operator=&value=2", "The filters compare"},
		{"an unknown order", "view=records&stream=a&order=up", "The address has an unknown value of order"},
		{"a negative offset", "offset=-1", "The address has an offset"},
		{"arguments that are a list", "view=call&tool=a&arguments=[]", "The arguments are not"},
		{"arguments that are not JSON", "view=call&tool=a&arguments={", "The arguments are not"},
	} {
		q, err := parseQuery(c.raw)
		if err != nil && !strings.HasPrefix(err.Error(), c.link) || err == nil && q.link() != c.link {
			t.Errorf("%s: %q, %v", c.name, q.link(), err)
		}
	}
}

// The address of a query parses to that query again, and stays within the page.
func FuzzAnAddressIsReadAgain(f *testing.F) {
	for _, raw := range []string{
		"", "view=records&stream=a%2Fb&filter=x&operator=gte&value=1&sort=-x", "view=record&id=c%2Fs%3Ar",
		"view=call&tool=a&arguments={}", "view=%00", "a=%",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := parseQuery(raw)
		if err != nil {
			return
		}
		link := q.link()
		read, err := url.Parse(link)
		if err != nil || read.Scheme != "" || read.Host != "" || read.Path != "/" {
			t.Fatalf("%q leads to %q: %v", raw, link, err)
		}
		again, err := parseQuery(read.RawQuery)
		if len(read.RawQuery) > maxQuery { // escaping may make it longer than the limit
			return
		}
		if diff := cmp.Diff(q, again, cmp.AllowUnexported(query{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%q: %v\n%s", raw, err, diff)
		}
	})
}
