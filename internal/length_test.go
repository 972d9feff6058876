package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostFunctionLines is how many lines a function may have. One that has more does several things; give each of them a name.
const mostFunctionLines = 80

func TestFunctionsAreShort(t *testing.T) {
	looked := 0
	for _, dir := range []string{".", filepath.Join("..", "cmd"), filepath.Join("..", "scripts")} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			n, long := longFunctions(files, f)
			looked += n
			for _, where := range long {
				t.Error(where)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 4000 {
		t.Errorf("looked at %d functions only", looked)
	}
}

// longFunctions returns how many functions a file has, with a name or without, and which of them are too long. Comments
// inside a function count; the one before it does not.
func longFunctions(files *token.FileSet, f *ast.File) (functions int, long []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			functions++
			begin, end := files.Position(n.Pos()), files.Position(n.End())
			if lines := end.Line - begin.Line + 1; lines > mostFunctionLines {
				long = append(long, fmt.Sprintf("%s: a function has %d lines; it has at most %d", begin, lines, mostFunctionLines))
			}
		}
		return true
	})
	return functions, long
}

func TestLongFunctions(t *testing.T) {
	body := func(lines int) string { return " {" + strings.Repeat("\n", lines-1) + "}\n" }
	for _, tt := range []struct{ name, code, want string }{
		{"as long as may be", "// f does nothing.\n//\n// At all.\nfunc f()" + body(mostFunctionLines), ""},
		{"too long", "func f()" + body(mostFunctionLines+1), "f.go:2:1: a function has 81 lines; it has at most 80"},
		{"a method", "func (t T) f()" + body(mostFunctionLines+1), "f.go:2:1: a function has 81 lines; it has at most 80"},
		{"without a name", "var f = func()" + body(mostFunctionLines+1), "f.go:2:9: a function has 81 lines; it has at most 80"},
	} {
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, "f.go", "package p\n"+tt.code, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if n, long := longFunctions(files, f); n != 1 || strings.Join(long, "\n") != tt.want {
			t.Errorf("%s: of %d functions, found %q, want %q", tt.name, n, long, tt.want)
		}
	}
}
