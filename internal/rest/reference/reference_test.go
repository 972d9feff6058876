package reference

import (
	"strings"
	"testing"
	"testing/fstest"
)

const frame = `
info:
  title: Desk API
  description: Every call has a token.
tags:
  - {name: Quick replies, description: What is said often.}
components:
  responses:
    NotFound: {description: There is no such thing.}
  parameters:
    limit: {name: limit, in: query, description: How many., schema: {type: integer, minimum: 1, maximum: 100, default: 50}}
  schemas:
    Time: {type: string, description: A time.}
`

const replies = `
paths:
  /replies/{id}:
    parameters:
      - {name: id, in: path, required: true, description: Which., schema: {type: integer}}
    put:
      operationId: putReply
      tags: [Quick replies]
      summary: Keep a reply
      description: Keeps it.
      parameters:
        - $ref: "#/components/parameters/limit"
        - {name: Idempotency-Key, in: header, schema: {type: string}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [name]
              properties:
                <<: &common
                  name: {type: string, minLength: 1, maxLength: 200}
                kind: {type: string, enum: [short, long], default: short, description: How long it is}
                tags: {type: array, maxItems: 3, items: {type: string, maxLength: 9}}
                owner: {$ref: "#/components/schemas/Owner"}
                place:
                  oneOf:
                    - {type: object, required: [type, room], properties: {type: {const: room}, room: {type: integer}}}
                    - {type: object, required: [type, desk], properties: {type: {const: desk}, desk: {type: string}}}
      responses:
        "200":
          description: The reply.
          content: {application/json: {schema: {$ref: "#/components/schemas/Reply"}}}
        "404": {$ref: "#/components/responses/NotFound", description: No | such reply.}
        "503": {$ref: "#/components/responses/NotFound"}
components:
  schemas:
    Owner: {type: [object, "null"], description: Whose it is., required: [id], properties: {id: {type: integer, minimum: 1}}}
    Reply:
      type: object
      required: [name, at]
      properties:
        <<: *common
        at: {$ref: "#/components/schemas/Time"}
`

func pagesOf(t *testing.T, examples ...Example) (map[string]string, error) {
	t.Helper()
	return Pages(Source{Files: fstest.MapFS{"api.yaml": {Data: []byte(frame)}, "reply.yaml": {Data: []byte(replies)}}, Examples: examples})
}

// A page contains everything that the document says about an operation.
func TestPages(t *testing.T) {
	example := Example{Page: "quick-replies.md", Operation: "putReply", About: "A reply", From: "reply.txt", Call: "PUT /replies/1", Reply: "200"}
	elsewhere := example
	elsewhere.Page, elsewhere.About = "other.md", "Not shown"
	pages, err := pagesOf(t, elsewhere, example)
	if err != nil {
		t.Fatal(err)
	}
	for page, lines := range map[string][]string{
		"README.md": {"# Desk API", "Every call has a token.", "### [Quick replies](quick-replies.md)", "| [Keep a reply](quick-replies.md#keep-a-reply) | `PUT /replies/{id}` |"},
		"quick-replies.md": {
			"## Keep a reply", "`PUT /replies/{id}`", "Keeps it.",
			"| `id` | path | integer | yes | Which. |",
			"| `limit` | query | integer |  | 1 to 100. Defaults to `50`. How many. |",
			"Takes an [`Idempotency-Key`](README.md#idempotency).",
			"| `name` | string | yes | 1 to 200 characters. |",
			"| `kind` | string |  | Values: `short` or `long`. Defaults to `short`. How long it is. |",
			"| `tags` | list of string |  | At most 3 items. Each: at most 9 characters. |",
			"| `owner` | [Owner](#owner) |  |  |",
			"| `place` | object |  | Exactly one is required: `type` with `room` or `type` with `desk`. |",
			"| `place.type` | string | yes | Values: `room` or `desk`. |",
			"| `place.desk` | string |  |  |",
			"**Response** `200`: The reply.",
			"| `at` | time | yes |  |",
			`| ` + "`404`" + ` | No \| such reply. |`,
			"Also, [as for every operation](README.md#errors): `503`.",
			"**Example** ([run in the tests](reply.txt)): A reply",
			"### Owner", "Whose it is.", "| `id` | integer | yes |  |",
		},
	} {
		for _, line := range lines {
			if !strings.Contains(pages[page], line+"\n") {
				t.Errorf("%s has no line %q:\n%s", page, line, pages[page])
			}
		}
	}
	if strings.Contains(pages["quick-replies.md"], "Not shown") {
		t.Error("the example of another page is shown")
	}
}

func TestPagesNeedExamples(t *testing.T) {
	for name, examples := range map[string][]Example{
		"putReply needs an example": nil,
		"it has no id":              {{Page: "quick-replies.md", Operation: "putReply", Problem: "it has no id"}},
	} {
		if _, err := pagesOf(t, examples...); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

// The tag of an operation determines its page.
func TestPagesNeedOneTag(t *testing.T) {
	for _, tags := range []string{"[]", "[Quick replies, Members]"} {
		text := strings.Replace(replies, "tags: [Quick replies]", "tags: "+tags, 1)
		_, err := Pages(Source{Files: fstest.MapFS{"api.yaml": {Data: []byte(frame)}, "reply.yaml": {Data: []byte(text)}}})
		if err == nil || !strings.Contains(err.Error(), "tags, not one") {
			t.Errorf("with the tags %s: %v", tags, err)
		}
	}
}

func TestLayout(t *testing.T) {
	long := strings.Repeat("x", 90)
	for text, want := range map[string]string{
		`{"b":1,"a":[true,null,"<é>"],"c":{}}`: `{"b": 1, "a": [true, null, "<é>"], "c": {}}`,
		`{"b":"` + long + `","a":[1.50,2]}`:    "{\n  \"b\": \"" + long + "\",\n  \"a\": [1.50, 2]\n}",
		`[{"b":"` + long + `","a":[]},7]`:      "[\n  {\"b\": \"" + long + "\", \"a\": []},\n  7\n]",
		"no JSON":                              "no JSON",
		"":                                     "",
	} {
		if got := Layout(text); got != want {
			t.Errorf("%s is laid out as\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestAnchor(t *testing.T) {
	for heading, want := range map[string]string{"Custom fields": "custom-fields", "Create a ticket with a form, or link one": "create-a-ticket-with-a-form-or-link-one", "SLAMetric": "slametric"} {
		if got := anchor(heading); got != want {
			t.Errorf("%s: %s, want %s", heading, got, want)
		}
	}
}
