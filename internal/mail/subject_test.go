package mail

import "testing"

func TestTitle(t *testing.T) {
	for subject, want := range map[string]string{
		"Export fails":                          "Export fails",
		"Re: Export fails":                      "Export fails",
		"RE:Export fails":                       "Export fails",
		"Re[2]: Re (3) : Re^4: Export fails":    "Export fails",
		"AW: WG: Export fails":                  "Export fails",
		"Antw: Doorst: x":                       "x", // Dutch
		"SV: VB: x":                             "x", // Swedish
		"VS: VL: x":                             "x", // Finnish
		"Réf: TR: x":                            "x", // French
		"R: I: x":                               "x", // Italian
		"RES: ENC: x":                           "x", // Portuguese
		"RE: RV: x":                             "x", // Spanish
		"Odp: PD: x":                            "x", // Polish
		"YNT: İLT: x":                           "x", // Turkish
		"VÁ: Továbbítás: x":                     "x", // Hungarian
		"ΑΠ: ΠΡΘ: x":                            "x", // Greek
		"Ответ: Пересл: x":                      "x", // Russian
		"Відп: Переадр: x":                      "x", // Ukrainian
		"Răsp: Fwd: x":                          "x", // Romanian
		"BLS: TRS: x":                           "x", // Indonesian
		"TL: CT: x":                             "x", // Vietnamese
		"回复：转发：x":                               "x", // Chinese
		"返信: 転送: x":                             "x", // Japanese
		"회신: 전달: x":                             "x", // Korean
		"השב: הועבר: x":                         "x", // Hebrew
		"رد: إعادة توجيه: x":                    "x", // Arabic
		"Odp: ATB: SV: FS: x":                   "x", // Czech, Latvian, Icelandic
		"ACME-17 Export fails":                  "Export fails",
		"Re: [ACME-17] Export fails":            "Export fails",
		"re: acme-17: Re: ACME-17 Export fails": "Export fails",
		"ACME-17":                               "",
		"ACME-17b stays":                        "ACME-17b stays",
		"OTHER-17 stays":                        "OTHER-17 stays",
		"About ACME-17":                         "About ACME-17",
		"Reply: stays":                          "Reply: stays",
		"Read the manual":                       "Read the manual",
		"Re Export":                             "Re Export",
		"Re: ":                                  "",
		"  two\r\n lines ":                      "two lines",
		"":                                      "",
	} {
		if got := Title(subject, "ACME"); got != want {
			t.Errorf("Title(%q) = %q, want %q", subject, got, want)
		}
	}
	if got := Title("-17 x", ""); got != "-17 x" {
		t.Errorf("without a prefix: %q", got)
	}
	if got := Title("A.B-17 x A+B-1", "A.B"); got != "x A+B-1" {
		t.Errorf("a prefix is no pattern: %q", got)
	}
}

func TestSubjectsOut(t *testing.T) {
	if got := RequestSubject("ACME-17", "The export\r\nBcc: x@y.example fails"); got != "ACME-17 The export Bcc: x@y.example fails" {
		t.Errorf("%q", got)
	}
	for subject, want := range map[string]string{
		"Export fails": "Re: Export fails", "Re: Export fails": "Re: Export fails", "AW: RE: Export fails": "Re: Export fails",
		"Fwd: Export fails": "Re: Fwd: Export fails", "": "Re:",
	} {
		if got := ReplySubject(subject); got != want {
			t.Errorf("ReplySubject(%q) = %q, want %q", subject, got, want)
		}
	}
}
