package integration

import (
	"strings"
	"testing"
)

// A search that is limited by a filter or a connection says so if that is why it finds nothing, and never that a word occurs nowhere.
func TestASearchIsNotSilentlyWrong(t *testing.T) {
	for name, row := range map[string]struct {
		call       string
		says, lies string // what the text has, and what it must not have
	}{
		"a date of one of several streams is a whole day": {
			`search {"q":"ribeira","filter":{"ordered_at":"2026-11-14"},"streams":["orders","messages"]}`, "orders/2026%2F0240", "0 hits",
		},
		"so is that of the first of several": {
			`search {"q":"dentist","filter":{"received_at":"2026-02-20"},"streams":["messages","events"]}`, "cin_mail_personal/messages:p-m0163", "0 hits",
		},
		"and that of an event beside messages": {
			`search {"q":"dentist","filter":{"starts_at":"2026-03-12"},"streams":["messages","events"]}`, "evt-0150", "0 hits",
		},
		"a date of a timeline of all streams is a whole day": {
			`search {"since":"2026-01-01","filter":{"ordered_at":"2026-11-14"}}`, "orders/2026%2F0240", "0 records",
		},
		"a connection without the stream is named": {
			`search {"q":"dentist","connection_id":"cin_shop","streams":["messages"]}`, `connection "cin_shop" has no stream "messages". It is under cin_mail_work`, "0 hits",
		},
		"a stream that the connection lacks beside one that it has is left out": {
			`search {"q":"ribeira","connection_id":"cin_shop","streams":["messages","orders"]}`, "left out: messages", "no stream",
		},
		"a value that no record has is explained": {
			`search {"q":"dentist","filter":{"from_name":"harbourside dental"},"streams":["messages","events"]}`,
			`Did you mean: search {"filter":{"from_name":"Harbourside Dental"},"q":"dentist","streams":["messages","events"]}`, "occurs nowhere",
		},
		"and so is a range": {
			`search {"q":"dentist","filter":{"starts_at":{"gte":"2029-01-01"}},"streams":["events"]}`,
			"Alone, the condition on starts_at matches 0 records.\nstarts_at is from 2025-", "occurs nowhere",
		},
		"conditions that no record has together are explained": {
			`search {"q":"dentist","filter":{"from_name":"Marcus Webb","from_email":"nobody@nowhere.example"},"streams":["messages"]}`,
			"No record matches filter, so no word was looked for.", "occurs nowhere",
		},
		"a stream that lacks the field was not searched": {
			`search {"q":"dentist","filter":{"from_name":"Marcus Webb"},"streams":["messages","events"]}`, "Left out, because they lack a field of filter: events.", "occurs nowhere",
		},
		"a word that the filtered records lack occurs nowhere in them": {
			`search {"q":"dentist","filter":{"from_name":"Marcus Webb"},"streams":["messages"]}`, `"dentist" occurs nowhere`, "No record matches filter",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := parseCall(t, row.call)
			for _, token := range []string{sample.ClientToken, sample.PackageToken} {
				text := textOf(overHTTP(t, sample.MCPURL, token).call(asked.tool, asked.arguments))
				if !strings.Contains(text, row.says) || strings.Contains(text, row.lies) {
					t.Errorf("%s: want %q, not %q:\n%s", row.call, row.says, row.lies, text)
				}
			}
		})
	}
}
