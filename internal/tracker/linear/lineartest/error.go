package lineartest

import (
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/gqlerror"
)

// trouble is an error in Linear's form: an entry of errors with a type and a code
// in its extensions.
type trouble struct {
	message string
	status  int    // in the extensions; the answer itself has 200 unless nothing was done at all
	kind    string // invalid input
	code    string // INPUT_ERROR
	words   string // for people
	details any    // of a validation error
}

func (t *trouble) Error() string { return t.message }

// shown returns the error as an entry of an answer's errors.
func (t *trouble) shown(path ...any) map[string]any {
	ext := map[string]any{"type": t.kind, "code": t.code, "statusCode": t.status, "userError": t.status < 500, "userPresentableMessage": t.words,
		"meta": map[string]any{}}
	if t.details != nil {
		ext["validationErrors"] = t.details
	}
	e := map[string]any{"message": t.message, "extensions": ext}
	if len(path) > 0 {
		e["path"] = path
	} else {
		ext["http"] = map[string]any{"status": t.status}
	}
	return e
}

// answer answers a call of which nothing was done.
func (t *trouble) answer(w http.ResponseWriter) { answer(w, t.status, nil, []any{t.shown()}) }

var (
	notAuthenticated = &trouble{message: "Authentication required, not authenticated", status: http.StatusUnauthorized, kind: "authentication error",
		code: "AUTHENTICATION_ERROR", words: "You need to authenticate to access this operation."}
	keyAsBearer = &trouble{message: "Bearer token is an API key", status: http.StatusUnauthorized, kind: "authentication error", code: "AUTHENTICATION_ERROR",
		words: "It looks like you're trying to use an API key as a Bearer token. Remove the Bearer prefix from the Authorization header."}
	rateLimited = &trouble{message: "Rate limit exceeded", status: http.StatusBadRequest, kind: "ratelimited", code: "RATELIMITED",
		words: "Rate limit exceeded. Please try again later."}
	adminOnly  = forbidden("Invalid role: admin required", "You need to be an admin to do this.")
	tooComplex = inputError("Query too complex", "The query is too complex.")
)

// notFound is the error for something that the workspace does not have.
func notFound(kind string) error {
	return inputError("Entity not found: "+kind, "Could not find referenced "+kind+".")
}

// conflict is the error for an id that is already in use.
func conflict(kind, id string) error {
	return inputError("conflict on insert of "+kind, "Entity "+kind+" with id "+id+" already exists.")
}

// inputError is the error for an input that does not fit the workspace.
func inputError(message, words string) *trouble {
	return &trouble{message: message, status: http.StatusBadRequest, kind: "invalid input", code: "INPUT_ERROR", words: words}
}

// forbidden is the error for what the caller may not do.
func forbidden(message, words string) *trouble {
	return &trouble{message: message, status: http.StatusForbidden, kind: "forbidden", code: "FORBIDDEN", words: words}
}

// invalid is the error for an argument in the wrong form.
func invalid(property, words string) error {
	return &trouble{message: "Argument Validation Error", status: http.StatusBadRequest, kind: "invalid input", code: "INVALID_INPUT", words: property + " " + words + ".",
		details: []any{map[string]any{"property": property, "constraints": map[string]any{"custom": property + " " + words}}}}
}

// malformed returns the errors of an invalid query, or of one that does not fit the
// schema. Nothing of it is done.
func malformed(code string, errs gqlerror.List) []any {
	var all []any
	for _, e := range errs {
		shown := map[string]any{"message": e.Message, "extensions": map[string]any{
			"code": code, "type": "graphql error", "userError": true, "http": map[string]any{"status": http.StatusBadRequest}}}
		if len(e.Locations) > 0 {
			shown["locations"] = e.Locations
		}
		all = append(all, shown)
	}
	return all
}

// unreadable returns the errors of a body that is not a GraphQL request.
func unreadable(words ...string) []any {
	return []any{map[string]any{"message": strings.Join(words, " "), "extensions": map[string]any{"code": "BAD_REQUEST", "type": "graphql error",
		"http": map[string]any{"status": http.StatusBadRequest}}}}
}
