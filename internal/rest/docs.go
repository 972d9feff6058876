package rest

import (
	"embed"
	"net/http"
	"path"

	"github.com/swaggest/swgui"
	"github.com/swaggest/swgui/v5emb"
)

// The page itself is ours: the one that comes with Swagger UI has scripts and
// styles inside, and a policy that lets those in lets an attacker's in, too.
//
//go:embed docs
var docsFiles embed.FS

const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// docsPage shows the API document to people. Everything it loads is in the
// binary.
func docsPage() http.Handler {
	swagger := v5emb.NewHandlerWithConfig(swgui.Config{BasePath: "/docs/"})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		switch name := path.Base(r.URL.Path); r.URL.Path {
		case "/docs/":
			http.ServeFileFS(w, r, docsFiles, "docs/page.html")
		case "/docs/page.js", "/docs/page.css":
			http.ServeFileFS(w, r, docsFiles, "docs/"+name)
		default:
			swagger.ServeHTTP(w, r)
		}
	})
}
