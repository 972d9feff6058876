package insights

import "testing"

// There are the 59 measures of the contract, each once and with a meaning, and
// every percentage refers to existing measures.
func TestMeasures(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Measures {
		if seen[m.Name] || m.Meaning == "" {
			t.Errorf("%s is there twice, or means nothing", m.Name)
		}
		seen[m.Name] = true
		for _, of := range []string{m.part, m.whole} {
			if _, ok := measure(of); of != "" && !ok {
				t.Errorf("%s is of %s, which there is not", m.Name, of)
			}
		}
	}
	if len(Measures) != 59 {
		t.Errorf("there are %d measures", len(Measures))
	}
}
