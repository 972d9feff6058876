package slack

import (
	"context"
	"net/url"

	"github.com/slack-go/slack"

	"frontdesk/internal/chat"
)

// mostTitle is the maximum length of a form's title and buttons.
const mostTitle = 24

// Show opens a form. Each input has its id twice, as block and as action: errors go
// to the block, and values come from the action.
func (c *connector) Show(ctx context.Context, trigger string, f chat.Form) error {
	view := slack.ModalViewRequest{
		Type: slack.VTModal, Title: plain(f.Title, mostTitle), Submit: plain(f.Submit, mostTitle), Close: plain("Cancel", mostTitle),
		CallbackID: f.ID, PrivateMetadata: f.State, Blocks: slack.Blocks{BlockSet: []slack.Block{}},
	}
	for _, in := range f.Inputs {
		block := slack.NewInputBlock(in.ID, plain(in.Label, mostField), nil, element(in))
		block.Optional = in.Optional
		view.Blocks.BlockSet = append(view.Blocks.BlockSet, block)
	}
	return c.app.call(ctx, c.bot(), "views.open", url.Values{"trigger_id": {trigger}, "view": {encode(view)}}, &struct{}{})
}

// element returns the form element of an input.
func element(in chat.Input) slack.BlockElement {
	switch in.Kind {
	case chat.Choice:
		e := slack.NewOptionsSelectBlockElement(slack.OptTypeStatic, nil, in.ID)
		for _, o := range in.Options {
			option := slack.NewOptionBlockObject(o.Value, plain(o.Label, mostLabel), nil)
			e.Options = append(e.Options, option)
			// Slack refuses a form whose initial choice is not one of the options.
			if o.Value == in.Value {
				e.InitialOption = option
			}
		}
		return e
	case chat.Person:
		e := slack.NewOptionsSelectBlockElement(slack.OptTypeUser, nil, in.ID)
		e.InitialUser = in.Value
		return e
	}
	e := slack.NewPlainTextInputBlockElement(nil, in.ID)
	e.InitialValue, e.Multiline = in.Value, in.Kind == chat.Paragraph
	return e
}
