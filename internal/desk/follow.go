package desk

// Follow is a request that a member follows.
type Follow struct{ Member MemberID }

func (Follow) Named() (resource, id string) { return "Follow", "" }

// MostFollowed is how many requests a member can follow. The list of these is read
// whole, so this bounds what it costs.
const MostFollowed = 1000

// ErrTooManyFollowed refuses to follow one more request.
var ErrTooManyFollowed = Errorf(Invalid, "You can follow at most %d requests. Stop following some first.", MostFollowed)
