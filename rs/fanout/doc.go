// Package fanout reads a package of grants as if it were one: a [Package] asks one grant, or all of them at a time, and merges their
// answers. A [PackageAuthority] finds the grants of a package token, through a [Directory].
package fanout
