package web

import "net/netip"

// ClientNetwork is what counts as one client: an IPv4 address, or an IPv6 network of 64 bits.
func ClientNetwork(address netip.Addr) netip.Prefix { return site(plainAddress(address)) }
