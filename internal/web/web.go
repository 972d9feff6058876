// Package web embeds the built web app in the binary. `make build` builds the app
// from the folder web/. Without it the package is empty, and Go still builds.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Files returns the files of the app: index.html and everything that it loads.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // only if the name above is wrong
	}
	return files
}
