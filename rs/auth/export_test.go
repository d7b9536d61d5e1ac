package auth

// What the tests of this folder use.
const (
	DefaultNegativeTTL  = negativeTTL
	DefaultTokenEntries = defaultTokenEntries
	DefaultTokenTTL     = tokenTTL
)

// DefaultLookupLimits are for the tests of this folder.
var DefaultLookupLimits = defaultLookupLimits
