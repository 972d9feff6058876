package service

import (
	"strconv"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// addNativeTicket gives a request a ticket of our own.
func (s *Service) addNativeTicket(tx *store.Tx, a desk.Account, request desk.RequestID, number int64) (*desk.Ticket, error) {
	t := s.nativeTicket(a, request, number, tx.Now)
	return &t, tx.AddTicket(request, t)
}

// nativeTicket is a ticket of our own, under a number of the account.
func (s *Service) nativeTicket(a desk.Account, request desk.RequestID, number int64, now time.Time) desk.Ticket {
	return desk.Ticket{ID: number, Type: desk.Native, Key: desk.TicketKey(a.KeyPrefix, number), CreatedAt: now,
		URL: s.publicURL + "/requests/" + strconv.FormatInt(int64(request), 10)}
}

func ticketMade(by desk.Actor, t desk.Ticket) desk.Change {
	return desk.Change{By: by, Action: string(desk.TicketCreated), Event: desk.TicketCreated, Resource: "Ticket", ID: t.Key, After: t}
}
