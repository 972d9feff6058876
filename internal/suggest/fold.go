package suggest

import "unicode"

// fold appends a letter in the form we compare: lower case and without accents,
// which people in a hurry leave out.
func fold(out []byte, r rune) []byte {
	if r < 0x80 {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(out, byte(r))
	}
	r = unicode.ToLower(r)
	switch r {
	case 'à', 'á', 'â', 'ã', 'ä', 'å', 'ā', 'ă', 'ą', 'ª':
		return append(out, 'a')
	case 'è', 'é', 'ê', 'ë', 'ē', 'ę', 'ě':
		return append(out, 'e')
	case 'ì', 'í', 'î', 'ï', 'ī', 'ı':
		return append(out, 'i')
	case 'ò', 'ó', 'ô', 'õ', 'ö', 'ø', 'ō', 'ő', 'º':
		return append(out, 'o')
	case 'ù', 'ú', 'û', 'ü', 'ū', 'ű', 'ů':
		return append(out, 'u')
	case 'ç', 'ć', 'č':
		return append(out, 'c')
	case 'ñ', 'ń', 'ň':
		return append(out, 'n')
	case 'ý', 'ÿ':
		return append(out, 'y')
	case 'š', 'ś':
		return append(out, 's')
	case 'ž', 'ź', 'ż':
		return append(out, 'z')
	case 'ß':
		return append(out, "ss"...)
	case 'æ':
		return append(out, "ae"...)
	case 'œ':
		return append(out, "oe"...)
	}
	if unicode.Is(unicode.Mn, r) { // an accent that is a separate character
		return out
	}
	return append(out, string(r)...)
}

// stretched reports whether a letter occurs three or more times in a row, as in
// "thaaanks".
func stretched(word []byte) bool {
	for i := 2; i < len(word); i++ {
		if word[i] == word[i-1] && word[i] == word[i-2] {
			return true
		}
	}
	return false
}

// squash reduces repeated letters to one: "helllooo" and "hello" become "helo".
func squash(word []byte) []byte {
	out := make([]byte, 0, len(word))
	for i, c := range word {
		if i == 0 || c != word[i-1] {
			out = append(out, c)
		}
	}
	return out
}
