// Package fanout reads a package of grants as if it were one: what [NewPackage] returns asks one grant, or all of them at a time, and
// merges their answers. What [NewPackageAuthority] returns finds the grants of a package token, through a [Directory].
package fanout
