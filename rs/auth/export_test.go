package auth

// Exported for the tests of this folder.
const (
	DefaultNegativeTTL  = negativeTTL
	DefaultTokenEntries = defaultTokenEntries
	DefaultTokenTTL     = tokenTTL
)

// DefaultLookupLimits exports defaultLookupLimits.
var DefaultLookupLimits = defaultLookupLimits
