package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// This version of Go reads the clock where a run expects it.
func TestOverlay(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := writeOverlay(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "time.go"))
	if err != nil || strings.Contains(string(text), readsKernel) || !strings.Contains(string(text), readsFile) {
		t.Errorf("package time still asks the kernel: %v", err)
	}
}
