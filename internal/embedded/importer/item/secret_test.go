package item

import "testing"

// A name of a secret is known where it is one, and not in a text.
func TestSecretsAreTakenOutOfObjects(t *testing.T) {
	for value, want := range map[string]string{
		`{"contrase\u00f1a":"x"}`: `{"contrase\u00f1a":null}`,
		`{"a":1}`:                 `{"a":1}`,
		`{"a":[{"password" : "x:\"y\"","b":2}],"secret":{"c":"password:"}}`: `{"a":[{"password" : null,"b":2}],"secret":null}`,
		`{"a":"the \"password\": x","b":["password",": x"]}`:                `{"a":"the \"password\": x","b":["password",": x"]}`,
		`["password","secret:",":",{"pwd":true,"Pwd":[1,{"pwd":2}]}]`:       `["password","secret:",":",{"pwd":true,"Pwd":null}]`,
	} {
		one := Item{Fields: []Field{{Name: "of", Value: []byte(value)}}}
		if new(Secrets).TakeOut(&one); string(one.Fields[0].Value) != want {
			t.Errorf("%s: %s", value, one.Fields[0].Value)
		}
	}
}
