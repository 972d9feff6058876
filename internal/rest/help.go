package rest

import "frontdesk/internal/help"

// givenSummary reads in which language a summary shall be.
func givenSummary(b object) help.GivenSummary { return help.GivenSummary{Language: b.text("language")} }

// givenTranslation reads into which language a message shall be translated.
func givenTranslation(b object) help.GivenTranslation {
	return help.GivenTranslation{Language: b.text("language")}
}

// givenText reads a text to be translated.
func givenText(b object) help.GivenText {
	return help.GivenText{HTML: b.text("html_body"), Language: b.text("language")}
}
