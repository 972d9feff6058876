package suggest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"frontdesk/internal/desk"
)

// Prompt is what a model is asked: what it shall do, which only we write, and what
// it shall do that with, which people wrote. The two are never mixed.
type Prompt struct {
	Account      desk.AccountID
	Instructions string
	Matter       any // has a form as JSON, in which nothing that people write can end a string
	Answer       int // about how many tokens the answer costs, besides the question
}

// Why there is no answer, for a caller who tells people about it. All errors of Ask
// are written for people: they contain nothing that people wrote or the server said.
var (
	ErrOverBudget = errors.New("over budget")
	ErrSlow       = errors.New("the server took too long")
	ErrCancelled  = errors.New("the call was cancelled")
	ErrUnusable   = errors.New("the answer was not a JSON object")
)

// Ask makes one call, within the model's time and the account's budget, and returns
// the JSON object that is its answer. Each member of it is still to be checked:
// something that people wrote may have talked the model into it.
func (m *Model) Ask(ctx context.Context, p Prompt) (map[string]json.RawMessage, error) {
	body, err := m.body(p)
	if err != nil {
		return nil, errors.New("the question could not be written")
	}
	reserved := len(body)/3 + p.Answer // a token is rarely less than three bytes of JSON
	if m.config.Budget != nil {
		switch granted, err := m.config.Budget.Reserve(ctx, p.Account, reserved); {
		case err != nil:
			return nil, errors.New("the budget could not be read")
		case !granted:
			return nil, ErrOverBudget
		}
	}
	answer, used, err := m.post(ctx, body)
	if used < 0 {
		used = reserved // the server did not say
	}
	if m.config.Budget != nil {
		// The caller may have gone, but the tokens are spent.
		settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
		defer cancel()
		if e := m.config.Budget.Settle(settling, p.Account, reserved, used); e != nil && err == nil {
			err = errors.New("the budget could not be written")
		}
	}
	if err != nil {
		return nil, err
	}
	return readReply(answer)
}

// body is the body of the call.
func (m *Model) body(p Prompt) ([]byte, error) {
	matter, err := json.Marshal(p.Matter)
	if err != nil {
		return nil, err
	}
	body := map[string]any{}
	maps.Copy(body, m.config.Extra)
	body["model"] = m.config.Model
	body["messages"] = []chatMessage{{"system", p.Instructions}, {"user", string(matter)}}
	body["response_format"] = map[string]string{"type": "json_object"}
	body["stream"] = false
	return json.Marshal(body)
}
