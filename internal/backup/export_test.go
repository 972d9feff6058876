package backup

// HasForm reports whether verify knows what a column holds.
func HasForm(column string) bool { return forms[column] != nil }
