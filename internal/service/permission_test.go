package service

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unchecked are the methods that are given a caller but are no operation: what
// surrounds an operation, and the sign-in of the web app, which checks by itself.
var unchecked = []string{"BeginKey", "FinishKey", "ReleaseKey", "RenewKey", "StoreFile", "EventPlace", "EventID", "Choices", "Choose"}

// No operation can forget whether its caller may. Each exported method that is given
// a caller gives the caller on to look, read, write or may, itself or through a
// function that does, and none opens a transaction of the caller's account past
// them.
func TestEveryOperationChecksItsCaller(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	checks := map[string]bool{"look": true, "read": true, "write": true, "may": true}
	var withCaller []*ast.FuncDecl
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !slices.ContainsFunc(fn.Type.Params.List, isCaller) {
				continue
			}
			if withCaller = append(withCaller, fn); !checks[fn.Name.Name] && !slices.Contains(unchecked, fn.Name.Name) && passesBy(fn) {
				t.Errorf("%s: %s opens a transaction of its caller without a check", files.Position(fn.Pos()), fn.Name.Name)
			}
		}
	}
	for again := true; again; {
		again = false
		for _, fn := range withCaller {
			if !checks[fn.Name.Name] && givesCallerTo(fn, checks) {
				checks[fn.Name.Name], again = true, true
			}
		}
	}
	operations := 0
	for _, fn := range withCaller {
		if !fn.Name.IsExported() || slices.Contains(unchecked, fn.Name.Name) {
			continue
		}
		if operations++; !checks[fn.Name.Name] {
			t.Errorf("%s: %s does not check whether its caller may", files.Position(fn.Pos()), fn.Name.Name)
		}
	}
	if operations < 100 {
		t.Errorf("looked at %d operations; are callers called something else?", operations)
	}
}

func isCaller(p *ast.Field) bool {
	name, ok := p.Type.(*ast.Ident)
	return ok && name.Name == "Caller"
}

// givesCallerTo reports whether a function calls one of the named functions with its
// caller, or as a method of its caller.
func givesCallerTo(fn *ast.FuncDecl, names map[string]bool) (gives bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch to := call.Fun.(type) {
		case *ast.Ident:
			gives = gives || names[to.Name] && slices.ContainsFunc(call.Args, isC)
		case *ast.SelectorExpr:
			gives = gives || names[to.Sel.Name] && (isC(to.X) || slices.ContainsFunc(call.Args, isC))
		}
		return true
	})
	return gives
}

// passesBy reports whether a function opens a transaction of c.Account itself.
func passesBy(fn *ast.FuncDecl) (passes bool) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		name := ""
		switch to := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = to.Sel.Name
		case *ast.Ident:
			name = to.Name
		}
		account, of := call.Args[1].(*ast.SelectorExpr)
		if of && slices.Contains([]string{"Look", "Read", "Write", "transact"}, name) && isC(account.X) && account.Sel.Name == "Account" {
			passes = true
		}
		return true
	})
	return passes
}

func isC(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "c"
}
