package zendesktest

import (
	"net/http"
	"strconv"
	"time"
)

// The forms of Zendesk's errors. Most have the first form. Invalid parameters have
// the second. Webhooks and pages have the third.
var (
	unauthenticated = reply{http.StatusUnauthorized, object{"error": "Couldn't authenticate you"}}
	notFound        = reply{http.StatusNotFound, object{"error": "RecordNotFound", "description": "Not found"}}
	noEndpoint      = reply{http.StatusNotFound, object{"error": "InvalidEndpoint", "description": "Not found"}}
	unparsed        = reply{http.StatusUnprocessableEntity, object{"error": "Unprocessable Entity", "message": "Server could not parse JSON"}}
	notJSON         = reply{http.StatusUnsupportedMediaType, object{"error": "UnsupportedContentType", "description": "Content-Type must be application/json"}}
	forbidden       = reply{http.StatusForbidden, object{"error": object{"title": "Forbidden", "message": "You do not have access to this page. Please contact the account owner of this help desk for further help."}}}
	conflict        = reply{http.StatusConflict, object{"error": "UpdateConflict", "description": "Safe Update prevented the update due to outdated ticket data. Please fetch the latest ticket data and try again."}}
)

// invalid returns the error of an invalid record. Not every problem has a code.
func invalid(field, description, code string) reply {
	problem := object{"description": description}
	if code != "" {
		problem["error"] = code
	}
	return reply{http.StatusUnprocessableEntity, object{"error": "RecordInvalid", "description": "Record validation errors", "details": object{field: []object{problem}}}}
}

// invalidAttribute returns the error of an invalid call.
func invalidAttribute(name, problem string) reply {
	return reply{http.StatusBadRequest, object{"error": object{"title": "Invalid attribute",
		"message": "You passed an invalid value for the " + name + " attribute. Invalid parameter: " + name + " " + problem}}}
}

func invalidPage(detail string) reply {
	return failures(http.StatusBadRequest, "InvalidPaginationParameter", detail)
}

// failures returns an error in the form of the newer parts of the API.
func failures(status int, code, detail string) reply {
	return reply{status, object{"errors": []object{{"code": code, "title": http.StatusText(status), "detail": detail, "status": strconv.Itoa(status)}}}}
}

// tooMany asks for a pause.
func tooMany(w http.ResponseWriter, wait time.Duration) {
	// In whole seconds, rounded up.
	w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	w.Header().Set("X-Rate-Limit", "700")
	w.Header().Set("X-Rate-Limit-Remaining", "0")
	write(w, reply{http.StatusTooManyRequests, object{"error": "APIRateLimitExceeded", "description": "Number of allowed API requests per minute exceeded"}})
}
