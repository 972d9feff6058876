// Package desk is the vocabulary of the product: accounts, members, tokens, events…
// and the rules between them. It does no I/O and imports only the standard library.
// Read it to learn what Frontdesk is about.
//
// Ids are numbers, unique within the installation. Each noun has its own type, so
// that one cannot be passed for another. Users and channels have the chat system's
// ids, which are strings.
package desk
