package render

import "testing"

// What a page says is read, also where tags are left out that HTML need not have; what it does not show is not.
func TestTextOfAPage(t *testing.T) {
	for page, want := range map[string]string{
		"<!doctype html><html><head><title>Invoice</title><body><p>Total 42</p></body></html>":                       "Total 42",
		"<html><head><style>p{}</style><title>Invoice</title></head><body><p>Total<br>42</p></body></html>":          "Total\n42",
		"<p>a<script>b()</script><template><p>c</p></template> d</p>":                                                "a d",
		"<head><meta name=x content=y><link rel=z><script>var a = '<p>no</p>'</script><table><tr><td>1<td>2</table>": "1 2",
	} {
		if got := htmlText(page); got != want {
			t.Errorf("%s is %q, want %q", page, got, want)
		}
	}
}
