package rest

import (
	"embed"
	"net/http"
	"path"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// We do not use the page that comes with Swagger UI. It has inline scripts and
// styles, and a policy that allows those would also allow an attacker's.
//
//go:embed docs
var docsFiles embed.FS

const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// docsPage shows the API document in a browser. Everything that the page loads is
// in the binary.
func docsPage() http.Handler {
	swagger := v5emb.NewHandlerWithConfig(swgui.Config{BasePath: "/docs/"})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		switch name := path.Base(r.URL.Path); r.URL.Path {
		case "/docs/":
			http.ServeFileFS(w, r, docsFiles, "docs/page.html")
		case "/docs/page.js", "/docs/page.css", "/docs/icon.svg":
			http.ServeFileFS(w, r, docsFiles, "docs/"+name)
		default:
			swagger.ServeHTTP(w, r)
		}
	})
}
