package service

import (
	"strconv"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addNativeTicket gives a request a ticket of our own.
func (s *Service) addNativeTicket(tx *store.Tx, a desk.Account, request desk.RequestID, number int64) (*desk.Ticket, error) {
	t := desk.Ticket{ID: number, Type: desk.Native, Key: desk.TicketKey(a.KeyPrefix, number), CreatedAt: tx.Now}
	t.URL = s.publicURL + "/requests/" + strconv.FormatInt(int64(request), 10)
	return &t, tx.AddTicket(request, t)
}

func ticketMade(by desk.Actor, t desk.Ticket) desk.Change {
	return desk.Change{By: by, Action: string(desk.TicketCreated), Event: desk.TicketCreated, Resource: "Ticket", ID: t.Key, After: t}
}
