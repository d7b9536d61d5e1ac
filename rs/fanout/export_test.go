package fanout

// Exported for the tests of this folder.
const (
	DefaultMemberDeadline = defaultMemberDeadline
	DefaultPackageWidth   = defaultPackageWidth
	DefaultSearchLimit    = defaultSearchLimit
	MaxMembers            = maxMembers
)
