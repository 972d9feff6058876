// Package web holds the built web app, so that it is in the binary. It is built
// from the folder web/ by `make build`; without that there is nothing in it, and
// Go builds all the same.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files are those of the app: index.html, and what it loads.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name above is wrong
	}
	return files
}
