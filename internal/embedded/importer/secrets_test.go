package importer

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// An export of a password manager is reported and not read.
func TestPasswordsAreNotRead(t *testing.T) {
	for name, text := range map[string]string{
		"chrome.csv": "name,url,username,password,note\nx,https://x.example,nora,s3cret,\n", "1p.csv": "\"Title\",\"Url\",\"Username\",\"Password\"\r\nBank,u,nora,s3cret\r\n", "bitwarden.csv": "name,login_uri,login_password\nx,u,s3cret\n",
		"bitwarden.json": "{\n  \"encrypted\": false,\n  \"folders\": [],\n  \"items\": [{\"login\":{\"password\":\"s3cret\"}}]}",
	} {
		records, skips := loaded(t, name, text)
		if len(records) > 0 || len(skips) != 1 || skips[0] != (Skip{name, 0, passwords}) {
			t.Errorf("%s: %v, %v", name, records, skips)
		}
	}
	if records, skips := loaded(t, "t.csv", "site,password_changed_at\nx,2026-01-15\n"); len(records["t"]) != 1 || len(skips) > 0 {
		t.Errorf("%v, %v", records, skips)
	}
}

// Values of fields with the name of a secret are removed at any depth, as are private keys in texts; this is reported once for each file.
func TestSecretsAreLeftOut(t *testing.T) {
	const pem = "-----BEGIN %s-----\nabc/s3cret=\n-----END %[1]s-----"
	const left = " is left out, as is all else of the file that is named or written like a secret: no assistant should have one"
	for name, row := range map[string]struct{ file, text, want, said string }{
		"an array":             {"a.json", `[{"site":"x","password":"s3cret"},{"site":"y","password":"s3cret"}]`, "[map[password:<nil> site:x] map[password:<nil> site:y]]", `the value of "password"`},
		"in an object":         {"a.jsonl", `{"login":{"password":"s3cret","ok":true},"name":"b"}`, "[map[login.ok:true login.password:<nil> name:b]]", `the value of "password"`},
		"in arrays":            {"a.jsonl", `{"n":1.50,"all":[[{"PrivateKey" : {"d":"s3cret"} , "b" : 2},{"secret":12}]]}`, "[map[all:[[map[PrivateKey:<nil> b:2] map[secret:<nil>]]] n:1.5]]", `the value of "PrivateKey"`},
		"German":               {"a.csv", "title;Passwort\na;s3cret\n", "[map[Passwort:<nil> title:a]]", `the value of "Passwort"`},
		"Spanish":              {"a.csv", "title;Contraseña\na;s3cret\n", "[map[Contraseña:<nil> title:a]]", `the value of "Contraseña"`},
		"French":               {"a.csv", "title;Mot de passe\na;s3cret\n", "[map[Mot_de_passe:<nil> title:a]]", `the value of "Mot_de_passe"`},
		"digits":               {"a.tsv", "title\tWifi PWD\na\t12345\n", "[map[Wifi_PWD:<nil> title:a]]", `the value of "Wifi_PWD"`},
		"parts of names":       {"a.jsonl", `{"userPassword":"s3cret","db_passwd":"s3cret","client-secret":"s3cret"}`, "[map[client-secret:<nil> db_passwd:<nil> userPassword:<nil>]]", `the value of "userPassword"`},
		"no secret":            {"a.jsonl", `{"password_changed_at":"never","secret_santa":"Ann","has_password":true,"password":"","secret":null,"passport":"P1","keys":3}`, "[map[has_password:true keys:3 passport:P1 password: password_changed_at:never secret:<nil> secret_santa:Ann]]", ""},
		"a key in a text":      {"a.txt", "my key:\n" + fmt.Sprintf(pem, "OPENSSH PRIVATE KEY") + "\nend", "[map[id:a.txt text:my key:\n[private key]\nend title:a]]", "a private key"},
		"a key without an end": {"a.txt", "-----BEGIN PRIVATE KEY-----\nabc/s3cret\n-- Ann", "[map[id:a.txt text:[private key]-- Ann title:a]]", "a private key"},
		"only its name":        {"a.txt", "It has -----BEGIN PRIVATE KEY----- above it.", "[map[id:a.txt text:It has [private key] above it. title:a]]", "a private key"},
		"keys in arrays":       {"a.jsonl", `{"all":["` + strings.ReplaceAll(fmt.Sprintf(pem, "RSA PRIVATE KEY"), "\n", `\n`) + `","b","-----BEGIN PGP PRIVATE KEY BLOCK-----\ns3cret"]}`, "[map[all:[[private key] b [private key]]]]", "a private key"},
		"a public key":         {"a.txt", fmt.Sprintf(strings.Replace(pem, "s3cret", "x", 1), "PUBLIC KEY"), "[map[id:a.txt text:-----BEGIN PUBLIC KEY-----\nabc/x=\n-----END PUBLIC KEY----- title:a]]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var kept []Skip
			corpus, err := OpenFS(t.Context(), os.DirFS(writeTree(t, map[string]string{row.file: row.text})), "data", Watch{Kept: func(s Skip) { kept = append(kept, s) }})
			if err != nil {
				t.Fatal(err)
			}
			var all []map[string]any
			for _, record := range collectRecords(t, corpus) {
				var data map[string]any
				if err := json.Unmarshal(record.Data, &data); err != nil || strings.Contains(string(record.Data), "s3cret") {
					t.Errorf("%s: %v", record.Data, err)
				}
				all = append(all, data)
			}
			if shown := fmt.Sprint(all); row.want != "" && shown != row.want {
				t.Errorf("%s, want %s", shown, row.want)
			}
			if row.said == "" && len(kept) > 0 || row.said != "" && (len(kept) != 1 || kept[0].Reason != row.said+left) {
				t.Errorf("reported %v, want %s", kept, row.said)
			}
		})
	}
}
