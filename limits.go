package main

import (
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// limitFlags are the limits of callers as they are typed.
type limitFlags struct {
	TokenRate        float64       `name:"token-rate" help:"Requests a second with one token; ${default} if absent, 0 for no limit." default:"50" env:"PDPP_MCP_TOKEN_RATE" placeholder:"N"`
	TokenBurst       int           `name:"token-burst" help:"Requests with one token at once; ${default} if absent." default:"200" env:"PDPP_MCP_TOKEN_BURST" placeholder:"N"`
	AddressRate      float64       `name:"address-rate" help:"Refused tokens a second from one client address; ${default} if absent, 0 for no limit." default:"10" env:"PDPP_MCP_ADDRESS_RATE" placeholder:"N"`
	AddressBurst     int           `name:"address-burst" help:"Refused tokens from one client address at once; ${default} if absent." default:"100" env:"PDPP_MCP_ADDRESS_BURST" placeholder:"N"`
	MaxCallsPerGrant int           `name:"max-calls-per-grant" help:"Calls of one grant or package at a time; ${default} if absent, 0 for no limit." default:"32" env:"PDPP_MCP_MAX_CALLS_PER_GRANT" placeholder:"N"`
	MaxCalls         int           `name:"max-calls" help:"Calls of all at a time; ${default} if absent, 0 for no limit." default:"1024" env:"PDPP_MCP_MAX_CALLS" placeholder:"N"`
	CallWait         time.Duration `name:"call-wait" help:"How long a call beyond these waits for its turn; ${default} if absent." default:"1s" env:"PDPP_MCP_CALL_WAIT"`
}

// limits checks what was typed. Its error names the flag.
func (f limitFlags) limits() (middleware.Limits, error) {
	l := middleware.Limits{
		TokenRate: f.TokenRate, TokenBurst: f.TokenBurst, AddressRate: f.AddressRate, AddressBurst: f.AddressBurst,
		CallsPerGrant: f.MaxCallsPerGrant, Calls: f.MaxCalls, Wait: f.CallWait,
	}
	if err := l.Check(); err != nil {
		return middleware.Limits{}, usage(err.Error())
	}
	return l, nil
}

// demoLimits are those of a server for the person who started it: nobody is slowed down.
func demoLimits() middleware.Limits {
	l := middleware.DefaultLimits()
	l.TokenRate, l.AddressRate = 0, 0
	return l
}
