package auth

// What the tests of this folder use.
const (
	DefaultAuthorityTimeout = defaultAuthorityTimeout
	DefaultNegativeTTL      = defaultNegativeTTL
	DefaultTokenEntries     = defaultTokenEntries
)
