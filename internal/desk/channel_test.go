package desk

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// A channel has one purpose, whichever came first.
func TestClash(t *testing.T) {
	use := func(p Purpose, c CollectionID) ChannelUse {
		return ChannelUse{Channel: "C1", Purpose: p, Collection: c, Name: fmt.Sprint("no. ", c)}
	}
	purposes := []Purpose{ForRequests, ForTriage, ForMessages}
	for _, have := range purposes {
		for _, want := range purposes {
			for _, same := range []bool{true, false} {
				id := CollectionID(2)
				if same {
					id = 1
				}
				fine := have == want && (same || have == ForTriage)
				with, clash := use(want, id).Clash([]ChannelUse{{Channel: "C2", Purpose: ForMessages, Collection: 9}, use(have, 1)})
				if clash == fine || clash && with != use(have, 1) {
					t.Errorf("%s beside %s, in the same collection: %v: clash %v with %+v", want, have, same, clash, with)
				}
			}
		}
	}
	if _, clash := use(ForMessages, 1).Clash(nil); clash {
		t.Error("a channel without a purpose cannot have one")
	}
	// A use that clashes is found even behind one that does not.
	if with, clash := use(ForTriage, 1).Clash([]ChannelUse{use(ForTriage, 2), use(ForRequests, 3)}); !clash || with.Collection != 3 {
		t.Errorf("got %+v, %v", with, clash)
	}
	for u, want := range map[ChannelUse]string{
		use(ForRequests, 1): `the request channel of the collection "no. 1"`,
		use(ForTriage, 1):   `the triage channel of the collection "no. 1"`,
		use(ForMessages, 1): `in the collection "no. 1"`,
	} {
		if u.String() != want {
			t.Errorf("%s, want %s", u, want)
		}
	}
}

func TestChannelApply(t *testing.T) {
	in, out := CollectionID(3), CollectionID(4)
	channel := Channel{ID: "C1", Name: "help", Collection: &in, Owner: ptr("U1")}
	problem := Errorf(Invalid, "The body is empty.")
	for _, c := range []struct {
		name   string
		change ChannelChange
		want   Channel
		ok     bool
	}{
		{"moved", ChannelChange{Collection: &out}, Channel{ID: "C1", Name: "help", Collection: &out, Owner: ptr("U1"), Active: true}, true},
		{"where it is", ChannelChange{Collection: &in}, Channel{ID: "C1", Name: "help", Collection: &in, Owner: ptr("U1"), Active: true}, true},
		{"another owner", ChannelChange{Owner: Just("U2")}, Channel{ID: "C1", Name: "help", Collection: &in, Owner: ptr("U2")}, true},
		{"no owner", ChannelChange{Owner: Null[string]()}, Channel{ID: "C1", Name: "help", Collection: &in}, true},
		{"nothing", ChannelChange{}, channel, false},
		{"a body that could not be read", ChannelChange{Body: Body{problem}, Collection: &out}, channel, false},
	} {
		got := channel
		if err := got.Apply(c.change); (err == nil) != c.ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, err, c.want)
		}
	}
}

func TestNewChannels(t *testing.T) {
	list := func(n int) (all []NewChannel) {
		for i := range n {
			all = append(all, NewChannel{ID: fmt.Sprint("C", i)})
		}
		return all
	}
	for _, c := range []struct {
		name   string
		given  []NewChannel
		fields []string
	}{
		{"one", list(1), nil},
		{"the most", list(MostAddedChannels), nil},
		{"none", nil, []string{"channels"}},
		{"too many", list(MostAddedChannels + 1), []string{"channels"}},
		{"twice", append(list(3), NewChannel{ID: "C1"}, NewChannel{ID: "c1"}), []string{"channels[3].id"}},
	} {
		if err := (NewChannels{Channels: c.given}).Check(); !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
	}
	problem := Errorf(Invalid, "The body is empty.")
	if err := (NewChannels{Body: Body{problem}}).Check(); err != problem {
		t.Errorf("got %v, want the body's own problem", err)
	}
	if err := (NewChannels{}).Check(); !strings.Contains(err.Error(), "channels must have 1 to 100 items; there are 0") {
		t.Error(err)
	}
}
