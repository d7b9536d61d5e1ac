package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A change replaces one stretch of a file's bytes by others.
type change struct {
	file           string
	source         []byte
	line, from, to int
	with, says     string
}

func (c change) String() string { return fmt.Sprintf("%s:%d %s", c.file, c.line, c.says) }

func (c change) apply() []byte {
	return slices.Concat(c.source[:c.from], []byte(c.with), c.source[c.to:])
}

// opposite holds the operators that stand in for each other.
var opposite = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.LEQ, token.LEQ: token.LSS,
	token.GTR: token.GEQ, token.GEQ: token.GTR, token.LAND: token.LOR, token.LOR: token.LAND,
}

// lister walks one file and collects its changes.
type lister struct {
	name    string
	source  []byte
	file    *token.File
	changes []change
}

// list returns every single change of behaviour that the file allows, in the order of its text.
func list(name string, source []byte) ([]change, error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	l := &lister{name: name, source: source, file: files.File(tree.FileStart)}
	ast.Inspect(tree, l.visit)
	slices.SortStableFunc(l.changes, func(a, b change) int { return a.from - b.from })
	return l.changes, nil
}

func (l *lister) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.BinaryExpr:
		if other, ok := opposite[n.Op]; ok {
			l.add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other.String(), "")
		}
	case *ast.IfStmt:
		// To negate a == b is the same change as a != b.
		if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ {
			l.add(n.Cond.Pos(), n.Cond.End(), "!("+l.text(n.Cond)+")", "")
		}
	case *ast.Ident:
		if n.Name == "true" || n.Name == "false" {
			l.add(n.Pos(), n.End(), strconv.FormatBool(n.Name != "true"), "")
		}
	case *ast.BasicLit:
		if value, err := strconv.ParseInt(n.Value, 0, 64); err == nil {
			l.add(n.Pos(), n.End(), strconv.FormatInt(value+1, 10), "")
			l.add(n.Pos(), n.End(), strconv.FormatInt(value-1, 10), "")
		}
	case *ast.ReturnStmt:
		for _, result := range n.Results {
			if name, ok := result.(*ast.Ident); ok && name.Name == "err" {
				l.add(name.Pos(), name.End(), "nil", "return err → return nil")
			}
		}
	case *ast.ExprStmt:
		if _, ok := n.X.(*ast.CallExpr); ok {
			l.add(n.Pos(), n.End(), "", "removed "+short(l.text(n)))
		}
	}
	return true
}

func (l *lister) add(from, to token.Pos, with, says string) {
	c := change{l.name, l.source, l.file.Line(from), l.file.Offset(from), l.file.Offset(to), with, says}
	if says == "" {
		c.says = short(string(l.source[c.from:c.to])) + " → " + short(with)
	}
	l.changes = append(l.changes, c)
}

func (l *lister) text(n ast.Node) string {
	return string(l.source[l.file.Offset(n.Pos()):l.file.Offset(n.End())])
}

// short brings text to one line of at most 70 characters.
func short(text string) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > 70 {
		line = append(line[:69], '…')
	}
	return string(line)
}
