package auth

// What the tests of this folder use.
const (
	DefaultNegativeTTL  = defaultNegativeTTL
	DefaultTokenEntries = defaultTokenEntries
	DefaultTokenTTL     = defaultTokenTTL
)

// DefaultLookupLimits are for the tests of this folder.
var DefaultLookupLimits = defaultLookupLimits
