package service

import (
	"context"
	"sync"

	"frontdesk/internal/desk"
	"frontdesk/internal/store"
)

// numberBlock is how many ticket numbers a process takes at once. What it has
// not used when it ends is a gap.
const numberBlock = 20

// numbers gives out native ticket numbers, increasing within this process.
type numbers struct {
	mu     sync.Mutex
	blocks map[desk.AccountID]*numberRange
}

type numberRange struct {
	mu        sync.Mutex
	next, end int64
}

// take gives the next number of an account. Of those who ask at once for an
// account without any left, one fetches a block and the others wait.
func (n *numbers) take(ctx context.Context, s *store.Store, account desk.AccountID) (int64, error) {
	n.mu.Lock()
	if n.blocks == nil {
		n.blocks = map[desk.AccountID]*numberRange{}
	}
	b := n.blocks[account]
	if b == nil {
		b = &numberRange{}
		n.blocks[account] = b
	}
	n.mu.Unlock()

	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == b.end {
		first, err := s.TicketNumbers(ctx, account, numberBlock)
		if err != nil {
			return 0, err
		}
		b.next, b.end = first, first+numberBlock
	}
	b.next++
	return b.next - 1, nil
}
