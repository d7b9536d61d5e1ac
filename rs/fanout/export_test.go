package fanout

// What the tests of this folder use.
const (
	DefaultMemberDeadline = defaultMemberDeadline
	DefaultPackageWidth   = defaultPackageWidth
	DefaultSearchLimit    = defaultSearchLimit
	MaxMembers            = maxMembers
)
