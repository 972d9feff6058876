package suggest

import (
	"slices"
	"sort"
)

// symbol is the number of a word in the lexicon. 0 is any word that is not in it.
type symbol int32

// state is a place between two words of one or more phrases. 0 is before the first
// word of all of them.
type state int32

// automaton finds phrases in a sequence of words, all that begin at a word in one
// walk. Phrases with many alternatives share their states. Written out one by one,
// the lexicon would have millions.
type automaton struct {
	steps []step  // while it is built, in any order
	last  state   // only while it is built
	ends  []int32 // for each state, the meaning of the phrase that ends there: a number that its owner understands, or none

	firsts [][]state // where a phrase's first word leads, by word
	from   []int32   // where a state's steps begin among steps, which are sorted by state and word
}

// none is the meaning of a state where no phrase ends.
const none int32 = -1

type step struct {
	from state
	word symbol
	to   state
}

func newAutomaton() *automaton { return &automaton{ends: []int32{none}} }

func (a *automaton) newState() state {
	a.last++
	a.ends = append(a.ends, none)
	return a.last
}

// add adds a phrase given as slots with alternatives. Each alternative is a
// sequence of words; an empty one means that the slot may be left out.
func (a *automaton) add(slots [][][]symbol, meaning int32) {
	frontier := []state{0}
	for _, alternatives := range slots {
		target, optional := a.newState(), false
		for _, words := range alternatives {
			if len(words) == 0 {
				optional = true
				continue
			}
			a.path(frontier, words, target)
		}
		if optional {
			frontier = append(frontier, target)
		} else {
			frontier = []state{target}
		}
	}
	for _, s := range frontier {
		if s != 0 { // an empty phrase does not count
			a.ends[s] = meaning
		}
	}
}

func (a *automaton) path(from []state, words []symbol, target state) {
	for i, w := range words {
		to := target
		if i < len(words)-1 {
			to = a.newState()
		}
		for _, s := range from {
			a.steps = append(a.steps, step{s, w, to})
		}
		from = []state{to}
	}
}

// finish makes the automaton ready for walks. words is the number of words. The steps
// are first put where those of their state begin, which is less work than to sort them all.
func (a *automaton) finish(words symbol) {
	from := make([]int32, a.last+2)
	for _, s := range a.steps {
		from[s.from+1]++
	}
	for i := 1; i < len(from); i++ {
		from[i] += from[i-1]
	}
	placed, next := make([]step, len(a.steps)), slices.Clone(from)
	for _, s := range a.steps {
		placed[next[s.from]] = s
		next[s.from]++
	}
	a.steps, a.from = placed[:0], make([]int32, len(from))
	for i := range a.last + 1 {
		own := placed[from[i]:from[i+1]]
		slices.SortFunc(own, func(x, y step) int {
			if x.word != y.word {
				return int(x.word - y.word)
			}
			return int(x.to - y.to)
		})
		a.steps = append(a.steps, slices.Compact(own)...)
		a.from[i+1] = int32(len(a.steps))
	}
	a.firsts = make([][]state, words+1)
	for _, s := range a.steps[:a.from[1]] {
		a.firsts[s.word] = append(a.firsts[s.word], s.to)
	}
}

// follow appends the states that a word leads to from a state.
func (a *automaton) follow(out []state, s state, w symbol) []state {
	if s == 0 {
		return append(out, a.firsts[w]...)
	}
	steps := a.steps[a.from[s]:a.from[s+1]]
	i := sort.Search(len(steps), func(i int) bool { return steps[i].word >= w })
	for ; i < len(steps) && steps[i].word == w; i++ {
		out = append(out, steps[i].to)
	}
	return out
}

// walk calls found for each phrase that begins at token i, with the token after its
// last and its meaning. Longer ones come later.
func (a *automaton) walk(tokens []token, i int, found func(end int, meaning int32)) {
	var room [2][16]state
	active, following := append(room[0][:0], 0), room[1][:0]
	for ; i < len(tokens) && len(active) > 0; i++ {
		following = following[:0]
		for _, s := range active {
			for _, w := range tokens[i].symbols() {
				following = a.follow(following, s, w)
			}
		}
		for _, s := range following {
			if meaning := a.ends[s]; meaning != none {
				found(i+1, meaning)
			}
		}
		active, following = following, active
	}
}
