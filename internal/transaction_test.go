package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Nothing outside the database happens inside a transaction: it may run again, it may be undone, and it keeps others
// waiting. Whatever calls another system needs a context. A transaction carries its own (tx.Context) for statements. So a
// function that is given a *store.Tx must use no other context, and may not be given one. It may compose a function that
// is to be called later with a context: nobody can call it inside the transaction.
func TestNothingOutsideInATransaction(t *testing.T) {
	looked := 0
	for _, dir := range []string{"saved", "heard", "timeline", "notify", "index", "change", "outside", "service", "worker"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			n, found := contextsInTransactions(files, f)
			looked += n
			for _, where := range found {
				t.Error(where)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 400 {
		t.Errorf("looked at %d functions that are given a transaction; are they called something else?", looked)
	}
}

// contextsInTransactions returns how many functions of a file are given a transaction, and where one of them uses a
// context.
func contextsInTransactions(files *token.FileSet, f *ast.File) (functions int, found []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		var signature *ast.FuncType
		var body *ast.BlockStmt
		switch fn := n.(type) {
		case *ast.FuncDecl:
			signature, body = fn.Type, fn.Body
		case *ast.FuncLit:
			signature, body = fn.Type, fn.Body
		default:
			return true
		}
		if body == nil || !slices.ContainsFunc(signature.Params.List, func(p *ast.Field) bool { return isTx(p.Type) }) {
			return true
		}
		functions++
		report := func(at token.Pos) {
			found = append(found, fmt.Sprintf("%s: a context is used inside a transaction", files.Position(at)))
		}
		if givenContext(signature) {
			report(signature.Params.Pos())
		}
		ast.Inspect(body, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.FuncLit:
				return !givenContext(x.Type) || slices.ContainsFunc(x.Type.Params.List, func(p *ast.Field) bool { return isTx(p.Type) })
			case *ast.Ident:
				if x.Name == "ctx" {
					report(x.Pos())
				}
			case *ast.SelectorExpr:
				if s := selector(x); s == "context.Background" || s == "context.TODO" || s == "context.WithoutCancel" {
					report(x.Pos())
				}
			}
			return true
		})
		return false // what is inside has been looked at
	})
	return functions, found
}

func givenContext(fn *ast.FuncType) bool {
	return slices.ContainsFunc(fn.Params.List, func(p *ast.Field) bool { return selector(p.Type) == "context.Context" })
}

func isTx(t ast.Expr) bool {
	p, ok := t.(*ast.StarExpr)
	return ok && selector(p.X) == "store.Tx"
}

// selector returns an expression like store.Tx as text, and nothing for others.
func selector(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok {
			return x.Name + "." + s.Sel.Name
		}
	}
	return ""
}

func TestContextsInTransactions(t *testing.T) {
	for _, tt := range []struct{ name, code, want string }{
		{"none", "func f(tx *store.Tx) error { return tx.Save() }", ""},
		{"outside", "func f(ctx context.Context) { g(ctx, func(tx *store.Tx) error { return nil }); call(ctx) }", ""},
		{"captured", "func f(ctx context.Context) { g(ctx, func(tx *store.Tx) error { return call(ctx) }) }", "f.go:2:77"},
		{"given", "func f(ctx context.Context, tx *store.Tx) {}", "f.go:2:7"},
		{"for later", "func f(tx *store.Tx) *act { return &act{do: func(ctx context.Context) error { return call(ctx) }} }", ""},
		{"for later, with one of its own", "func f(tx *store.Tx) { g(func() { call(context.Background()) }) }", "f.go:2:40"},
		{"for later, with both", "func f(tx *store.Tx) { g(func(ctx context.Context, tx *store.Tx) { call(ctx) }) }", "f.go:2:31"},
		{"of its own", "func f(tx *store.Tx) { call(context.Background()) }", "f.go:2:29"},
	} {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, "f.go", "package p\n"+tt.code, 0)
		if err != nil {
			t.Fatal(err)
		}
		_, found := contextsInTransactions(files, f)
		if got := strings.Join(found, "\n"); got != "" && tt.want == "" || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: found %q, want %q", tt.name, got, tt.want)
		}
	}
}
