package service

import (
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addNativeTicket gives a request a ticket of our own, made with a form or nil.
func (s *Service) addNativeTicket(tx *store.Tx, a desk.Account, request desk.RequestID, form *desk.TicketFormID) (t desk.Ticket, err error) {
	number, err := tx.NextTicketNumbers(1)
	if err != nil {
		return t, err
	}
	t = s.nativeTicket(tx, a, number, request)
	t.Form = form
	return t, tx.AddTicket(request, t)
}

// nativeTicket is a new ticket of a request, under a number that was taken.
func (s *Service) nativeTicket(tx *store.Tx, a desk.Account, number int64, request desk.RequestID) desk.Ticket {
	return desk.Ticket{ID: number, Type: desk.Native, Key: desk.TicketKey(a.KeyPrefix, number), CreatedAt: tx.Now,
		URL: s.publicURL + "/requests/" + strconv.FormatInt(int64(request), 10)}
}

func ticketMade(by desk.Actor, id desk.RequestID, t desk.Ticket) desk.Change {
	return desk.Change{By: by, Action: string(desk.TicketCreated), Event: desk.TicketCreated, Resource: "Ticket", ID: t.Key, After: t, Request: id}
}
