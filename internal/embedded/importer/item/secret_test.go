package item

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The name of a secret is recognized as the name of a member, but not within a text.
func TestSecretsAreRemovedFromObjects(t *testing.T) {
	for value, want := range map[string]string{
		`{"contrase\u00f1a":"x"}`: `{"contrase\u00f1a":null}`,
		`{"a":1}`:                 `{"a":1}`,
		`{"a":[{"password" : "x:\"y\"","b":2}],"secret":{"c":"password:"}}`: `{"a":[{"password" : null,"b":2}],"secret":null}`,
		`{"a":"the \"password\": x","b":["password",": x"]}`:                `{"a":"the \"password\": x","b":["password",": x"]}`,
		`["password","secret:",":",{"pwd":true,"Pwd":[1,{"pwd":2}]}]`:       `["password","secret:",":",{"pwd":true,"Pwd":null}]`,
	} {
		one := Item{Fields: []Field{{Name: "of", Value: []byte(value)}}}
		if new(Secrets).TakeOut(&one); string(one.Fields[0].Value) != want {
			t.Errorf("%s: %s; want %q", value, one.Fields[0].Value, want)
		}
	}
}

// A secret is recognized by its name and its value, in many languages; a table of postal codes or of words has none.
func TestSecretsAreRecognizedByNameAndValue(t *testing.T) {
	for fields, isSecret := range map[string]bool{
		`wachtwoord="geheim"`: true, `senha="abc"`: true, `пароль="секрет"`: true, `hasło="tajne0"`: true, `parola chiave="chiave0"`: true,
		`Kennwort="x"`: true, `WLAN-Passwort="x"`: true, `Routerpasswort="x"`: true, `encryptedPassword="x"`: true, `Mot de passe="x"`: true, `contraseña="x"`: true,
		`pw="abc1"`: true, `PSK="wifiKey"`: true, `api_key="sk"`: true, `API-Schlüssel="a"`: true, `Clé API="a"`: true,
		`seed_phrase="abandon ability able about"`: true, `Wiederherstellungscodes=["a"]`: true, `backup_code=550`: true, `security_answer="Fluffy"`: true,
		`PIN="4711"`: true, `pin=471123`: true, `PUK="88123450"`: true, `TAN="123456"`: true, `CVV="123"`: true, `cvc=1234`: true, `пин-код="4711"`: true,
		`card_number=4111111111111111`: true, `Kartennummer="4111 1111 1111 1111"`: true, `access_token="ya29.A0ARrdaM0"`: true, `token="tok123"`: true,
		`totp="JBSWY3DPEHPK3PXP"`: true, `cookie="sid=abcdef123; theme=dark"`: true,
		`host="x.example" name="sid" value="abc" expiry=1800000000`: true, `domain="x" name="a" value="b" expirationDate=1.5`: true,

		`PIN code="560001" city="Bengaluru"`: false, `Pincode=560001 District="X"`: false, `token_count=512`: false, `tokens=512`: false, `token=17`: false,
		`token="the"`: false, `token="1.50€"`: false, `Token="USDT"`: false, `pin="GPIO4"`: false, `pin=13`: false, `tan=0.5774`: false, `PW=75`: false, `pw="1500"`: false,
		`clave="A"`: false, `parola chiave="scarpe rosse"`: false, `seed=42`: false, `seed="tomato"`: false, `cookies="chocolate chip"`: false,
		`card_number="XXXX-XXXX-XXXX-1111"`: false, `cvv=true`: false, `Passwort vergessen="ja"`: false, `password_changed_at="2026-01-15"`: false,
		`host="x.example" name="load" value="0.5"`: false, `secret_santa="Ann"`: false, `Security Code="7203"`: false, `boarding_pass="AB1234"`: false,
	} {
		one := Item{}
		for _, field := range strings.Split(fields, `" `) {
			name, value, _ := strings.Cut(field, "=")
			if strings.Count(value, `"`) == 1 {
				value += `"`
			}
			one.Fields = append(one.Fields, Field{Name: strings.ReplaceAll(name, `\u0303`, "\u0303"), Value: []byte(value)})
		}
		if new(Secrets).TakeOut(&one); (one.Note != "") != isSecret {
			t.Errorf("%s: %q %s", fields, one.Note, one.Data())
		}
	}
}

// Lines of a text that state a secret, and keys recognizable by their form, are removed; a mere mention stays.
func TestSecretsAreRemovedFromTexts(t *testing.T) {
	for text, want := range map[string]string{
		`Bank\nPasswort: txtPw1\r\nPIN: 4711\nend`:                                                          `Bank\nPasswort: [secret]\r\nPIN: [secret]\nend`,
		`WLAN-Passwort: katzenfutter\nx`:                                                                    `WLAN-Passwort: [secret]\nx`,
		`**Password:** \u0060a\"b\\c1\u0060, PIN: 1234`:                                                     `**Password:** [secret], PIN: [secret]`,
		`export DB_PASSWORD=envPw1\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7`:                                 `export DB_PASSWORD=[secret]\nAWS_SECRET_ACCESS_KEY=[secret]`,
		`- пароль: секрет1`:                                                                                 `- пароль: [secret]`,
		`see otpauth://totp/GitHub:me?issuer=x&secret=JBSWY3DPEHPK3PXP&digits=6.`:                           `see otpauth://totp/GitHub:me?issuer=x&secret=[secret]&digits=6.`,
		`x\nAKIAIOSFODNN7EXAMPLE ghp_16C7e42F292c6912E7710c838347Ae178B4a sk_live_4eC39HqLyjWDarjtT1zdp7dc`: `x\n[secret] [secret] [secret]`,
		`github_pat_11ABCDEFG0123456789_abcdef`:                                                             `[secret]`,

		`Passwort: Hallo(2024)\nPassword: abc123:\nSecurity answer: Fluffy\nWLAN-Schlüssel: katzenfutter\nx`: `Passwort: [secret]\nPassword: [secret]\nSecurity answer: [secret]\nWLAN-Schlüssel: [secret]\nx`,

		`Passwort vergessen`: ``, `Passwort: vergessen`: ``, `what is the password: I forgot it`: ``, `Password: must have 8 characters\nx`: ``,
		`Passwort: https://reset.example/a1\nx`: ``, `Password: ********\nx`: ``, `Passwort: (siehe Zettel)\nx`: ``, `Passwort: vergessen?\nx`: ``,
		`token := next2()\nx`: ``, `password = getpass.getpass()\nx`: ``, `password = req.body.password;\nx`: ``,
		`api_key = os.environ[\"API_KEY1\"]\nx`: ``, `secret: false\npassword: true\npassword: null\n`: ``,
		`password: string\nPassword: required\nx`: ``, `Grandma's secret: nutmeg\nx`: ``, `password=password\nx`: ``,
		`at 12:30\nPIN: 13\nTokens: 512\nCookies: 200 g flour`: ``, `PIN code=see below`: ``, `AKIA is a name, and sk-i-am-no-key-at-all-but-a-slug`: ``,
	} {
		one := Item{Fields: []Field{{Name: "text", Value: []byte(`"` + text + `"`)}}}
		new(Secrets).TakeOut(&one)
		reported := one.Note
		if want == "" {
			want = text
		}
		if got := strings.Trim(string(one.Fields[0].Value), `"`); got != want || (reported == "") != (want == text) {
			t.Errorf("%s: %s, reported %q; want %q", text, got, reported, want)
		}
	}
}

// Searching for many markers of keys takes linear time.
func TestSearchingForKeysIsLinear(t *testing.T) {
	for _, mark := range []string{`-----BEGIN PRIVATE KEY-----\n`, `eyJ0000000000.eyJ0000000000-AKIAIOSFODNN7EXAMPLE-`, `otpauth://a;otpauth-migration://a?data=b;`} {
		one, began := Item{Fields: []Field{{Name: "text", Value: []byte(`"` + strings.Repeat(mark, 10_000) + `"`)}}}, time.Now()
		if new(Secrets).TakeOut(&one); time.Since(began) > 5*time.Second {
			t.Errorf("%s: %v", mark, time.Since(began))
		}
	}
}

// After secrets are removed, valid JSON is still valid.
func FuzzSecrets(f *testing.F) {
	for _, one := range []string{`Passwort: a\"b\nx`, "PIN:\t1234\r\n", "token=a1b2c3 ", `password:\`, "otpauth://a?secret=ABC", "пароль= `x1y2z3`, PIN: 4711"} {
		f.Add(one)
	}
	f.Fuzz(func(t *testing.T, text string) {
		one := Item{Fields: []Field{{Name: "text", Value: JSON(text)}, {Name: "of", Value: JSON(map[string][]string{text: {text, "b"}})}}}
		wasGood := json.Valid(one.Data())
		if new(Secrets).TakeOut(&one); wasGood && !json.Valid(one.Data()) {
			t.Errorf("%q: %s", text, one.Data())
		}
	})
}
