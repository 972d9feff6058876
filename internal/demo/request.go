package demo

import (
	"context"
	"io"
	"slices"
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/service"
)

// importedAtOnce is how many requests are imported in one transaction. Messages in
// the workspace wait for it meanwhile, and the chat system gives up after three
// seconds. The number is small enough for a slow machine.
const importedAtOnce = 4

// addHistory imports the requests of the last ninety days and returns them with
// their ids. It also does what cannot be imported: marks, families and merges.
func (d Desk) addHistory(ctx context.Context, c service.Caller) (all []story, ids []desk.RequestID, err error) {
	fields, err := d.addFields(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	if err := d.addForms(ctx, c, fields); err != nil {
		return nil, nil, err
	}
	if all, err = history(d.Now); err != nil {
		return nil, nil, err
	}
	for part := range slices.Chunk(all, importedAtOnce) {
		made, err := d.Service.ImportRequests(ctx, c, func() (desk.ImportedRequest, error) {
			if len(part) == 0 {
				return desk.ImportedRequest{}, io.EOF
			}
			next := part[0].imported(fields)
			part = part[1:]
			return next, nil
		})
		if err != nil {
			return nil, nil, err
		}
		for _, m := range made {
			ids = append(ids, m.Request)
		}
	}
	for i, s := range all {
		if err := d.finish(ctx, c, s, ids[i], ids[firstOfOutage]); err != nil {
			return nil, nil, err
		}
	}
	return all, ids, nil
}

// finish does what cannot be imported for a request, unless somebody has changed it
// since.
func (d Desk) finish(ctx context.Context, c service.Caller, s story, id, first desk.RequestID) error {
	follows := inOutage(s.number) && id != first
	if s.mark == "" && !follows {
		return nil
	}
	h, err := d.Service.History(ctx, c, id, desk.Page{Limit: 2})
	if err != nil || len(h.Items) > 1 {
		return err // besides its creation
	}
	switch {
	case s.mark != "":
		_, err = d.Service.UpdateRequest(ctx, c, id, desk.RequestChange{NotARequest: desk.Just(s.mark)})
	case s.number%4 == 1:
		_, err = d.Service.MergeRequests(ctx, c, first, desk.Merge{Requests: []desk.RequestID{id}})
	default:
		_, err = d.Service.UpdateRequest(ctx, c, id, desk.RequestChange{Parent: desk.Just(first)})
	}
	return err
}

// addFields makes the custom fields of requests and returns them by name.
func (d Desk) addFields(ctx context.Context, c service.Caller) (map[string]desk.CustomField, error) {
	there, err := d.Service.CustomFields(ctx, c, desk.EntityRequest)
	if err != nil {
		return nil, err
	}
	fields := map[string]desk.CustomField{}
	for _, f := range there {
		fields[f.Name] = f
	}
	for _, f := range customFields {
		if _, has := fields[f.Name]; has {
			continue
		}
		if fields[f.Name], err = d.Service.CreateCustomField(ctx, c, f); err != nil {
			return nil, err
		}
	}
	return fields, nil
}

// addForms makes the forms for tickets.
func (d Desk) addForms(ctx context.Context, c service.Caller, fields map[string]desk.CustomField) error {
	there, err := d.Service.TicketForms(ctx, c, desk.FormFilter{}, desk.Page{Limit: desk.MostLimit})
	if err != nil {
		return err
	}
	same := func(want form, have desk.TicketForm) bool { return have.Name == want.name }
	return addMissing(forms, there.Items, same, func(want form) error {
		asked := slices.Clone(want.asks)
		for i, f := range asked {
			if field, custom := fields[string(f.Key)]; custom {
				asked[i].Key, asked[i].Label = desk.FormKey(strconv.FormatInt(int64(field.ID), 10)), field.Name
			}
		}
		_, err := d.Service.CreateTicketForm(ctx, c, desk.GivenForm{Name: &want.name, Description: desk.Just(want.description), Fields: &asked})
		return err
	})
}
