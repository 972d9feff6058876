package mail

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// What mail programs write above and below what they quote, in the languages of their
// users. All of it is compared in lower case.

// wroteWords say that somebody wrote something.
var wroteWords = []string{
	"wrote", "writes", "said", // English
	"schrieb", "geschrieben", // German
	"a écrit", "écrivait", "a ecrit", // French
	"escribió", "escribio", "va escriure", // Spanish, Catalan
	"ha scritto", "scrive", // Italian
	"escreveu", "escribiu", // Portuguese, Galician
	"schreef", "heeft geschreven", "geschreven", // Dutch
	"skrev", "skreiv", "skrifaði", // Swedish, Danish, Norwegian, Icelandic
	"kirjoitti", "kirjutas", // Finnish, Estonian
	"napisał", "pisze", // Polish
	"napsal", "napísal", "píše", // Czech, Slovak
	"написал", "пишет", "пише", "написав", // Russian, Ukrainian
	"yazdı", "yazmış", "şunu yazdı", // Turkish
	"ezt írta", "írta", // Hungarian
	"έγραψε",                              // Greek
	"a scris",                             // Romanian
	"je napisao", "napisao", "је написао", // Croatian, Serbian
	"menulis",        // Indonesian
	"đã viết",        // Vietnamese
	"写道", "寫道", "书写", // Chinese
	"書きました", "のメール", "からのメッセージ", // Japanese
	"작성", "님이", // Korean
	"כתב", // Hebrew
	"كتب", // Arabic
}

// introductionStarts are the first words of a line that says who wrote something.
var introductionStarts = []string{
	"on ", "am ", "le ", "el ", "il ", "em ", "op ", "den ", "på ", "w dniu", "dnia", "dne ", "dňa ", "a(z)", "στις", "la data", "pe ", "dana ", "pada ", "vào ",
	"在", "于", "於", "quoting ", "von ", "od ", "from ", "ב-", "בתאריך", "في ", "ma ", "ti ", "ke ", "to ", "pe ", "la ", "su ",
}

// dateShape is part of any date: a year, or a time of day.
var dateShape = regexp.MustCompile(`\b(?:19|20)\d\d\b|(?:19|20)\d\d[年년]|\b\d{1,2}[:.h]\d\d\b|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b`)

// mostIntroductionBytes bounds a line that says who wrote something.
const mostIntroductionBytes = 400

// saysWhoWrote reports whether a line says who wrote what follows, and when.
func saysWhoWrote(text string) bool {
	text = strings.ToLower(strings.Trim(text, "*_ \u00a0"))
	if len(text) < 8 || len(text) > mostIntroductionBytes || !dateShape.MatchString(text) {
		return false
	}
	if !endsIntroduction(text) {
		return false
	}
	return hasWroteWord(text) || strings.HasSuffix(strings.TrimRight(text, " :："), ">") && strings.Contains(text, "@")
}

// looksLikeIntroduction reports whether a line could be the end of one. It is asked only
// about the line before quoted ones.
func looksLikeIntroduction(text string) bool {
	text = strings.ToLower(strings.Trim(text, "*_ \u00a0"))
	return len(text) <= mostIntroductionBytes && endsIntroduction(text) &&
		(hasWroteWord(text) || strings.Contains(text, "@") || dateShape.MatchString(text))
}

func endsIntroduction(text string) bool {
	if strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：") {
		return true
	}
	for _, w := range wroteWords {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return false
}

func hasWroteWord(text string) bool {
	for _, w := range wroteWords {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func beginsIntroduction(text string) bool {
	text = strings.ToLower(strings.TrimLeft(text, "*_ \u00a0"))
	for _, w := range introductionStarts {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}

// beginsWithDigit reports whether a line begins with the day or the year, as Japanese
// and others write who wrote something.
func beginsWithDigit(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// unfinished reports whether a line is short and no sentence.
func unfinished(text string) bool {
	return len(text) < 80 && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "!") && !strings.HasSuffix(text, "?") && !strings.HasSuffix(text, ":")
}

// originalWords stand between dashes above a mail that is answered.
var originalWords = words(
	"original message", "original appointment", // English
	"ursprüngliche nachricht", "originalnachricht", "original-nachricht", "urspr. nachricht", // German
	"message d'origine", "message original", "message initial", "courriel original", // French
	"mensaje original", "missatge original", // Spanish, Catalan
	"messaggio originale",                         // Italian
	"mensagem original",                           // Portuguese
	"oorspronkelijk bericht", "origineel bericht", // Dutch
	"ursprungligt meddelande", "originalmeddelande", "ursprungsmeddelande", // Swedish
	"oprindelig meddelelse", "original meddelelse", // Danish
	"opprinnelig melding", "original melding", // Norwegian
	"alkuperäinen viesti", "alkup. viesti", // Finnish
	"wiadomość oryginalna", "oryginalna wiadomość", "wiadomość pierwotna", // Polish
	"původní zpráva", "pôvodná správa", // Czech, Slovak
	"исходное сообщение", "оригинальное сообщение", "вихідне повідомлення", // Russian, Ukrainian
	"orijinal mesaj", "özgün ileti", "orjinal mesaj", // Turkish
	"eredeti üzenet",                  // Hungarian
	"αρχικό μήνυμα", "mesaj original", // Greek, Romanian
	"原始邮件", "原始郵件", "原邮件", // Chinese
	"元のメッセージ",         // Japanese
	"원본 메시지", "원본 메일", // Korean
	"הודעה מקורית", "الرسالة الأصلية", // Hebrew, Arabic
)

// forwardWords stand between dashes, or alone, above a mail that is handed on.
var forwardWords = words(
	"forwarded message", "forwarded by", "begin forwarded message", "start of forwarded message", // English
	"weitergeleitete nachricht", "anfang der weitergeleiteten nachricht", "anfang der weitergeleiteten e-mail", // German
	"message transféré", "message transmis", "début du message réexpédié", "début du message transféré", // French
	"mensaje reenviado", "inicio del mensaje reenviado", // Spanish
	"messaggio inoltrato", "inizio messaggio inoltrato", // Italian
	"mensagem encaminhada", "início da mensagem encaminhada", "mensagem reencaminhada", // Portuguese
	"doorgestuurd bericht", "begin doorgestuurd bericht", // Dutch
	"vidarebefordrat meddelande", "vidarebefordrat brev", "vidarebefordrat mejl", // Swedish
	"videresendt meddelelse", "videresendt besked", "videresendt melding", // Danish, Norwegian
	"välitetty viesti", "edelleenlähetetty viesti", // Finnish
	"wiadomość przekazana dalej", "przekazana wiadomość", "treść przekazanej wiadomości", // Polish
	"přeposlaná zpráva", "preposlaná správa", // Czech, Slovak
	"пересылаемое сообщение", "перенаправленное сообщение", "начало переадресованного сообщения", "переслане повідомлення", // Russian, Ukrainian
	"iletilen mesaj", "yönlendirilmiş ileti", "iletilmiş mesaj", // Turkish
	"továbbított üzenet", "προωθημένο μήνυμα", "mesaj redirecționat", // Hungarian, Greek, Romanian
	"转发的邮件", "轉寄的郵件", "转发邮件信息", "转发邮件", // Chinese
	"転送メッセージ", "転送されたメッセージ", "전달된 메시지", "전달된 메일", // Japanese, Korean
)

func words(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, w := range list {
		set[w] = true
	}
	return set
}

// between returns what stands between the dashes of a line: "-----Original Message-----".
func between(text string) (inner string, dashes bool) {
	if len(text) > 120 {
		return "", false
	}
	text = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(text, "\u00a0", " ")))
	inner = strings.Trim(text, "-—–_=*# ")
	dashes = len(text)-len(inner) >= 4
	return strings.TrimRight(inner, ":： "), dashes
}

// originalLine reports whether a line divides an answer from what is answered.
func originalLine(text string) bool {
	inner, dashes := between(text)
	return dashes && originalWords[inner]
}

// forwardLine reports whether a line stands above a forwarded mail.
func forwardLine(text string) bool {
	inner, dashes := between(text)
	if !forwardWords[inner] {
		name, _, by := strings.Cut(inner, " by ") // ----- Forwarded by Jo Doe on 3/3/2026 -----
		return by && dashes && name == "forwarded"
	}
	return dashes || strings.HasSuffix(strings.TrimSpace(text), ":")
}

// ruleLine reports whether a line is drawn with signs.
func ruleLine(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) >= 5 && (strings.Trim(text, "_") == "" || strings.Trim(text, "-") == "" || strings.Trim(text, "—–=") == "")
}

// delimiterLine reports whether a line begins a signature.
func delimiterLine(text string) bool {
	text = strings.TrimRight(text, " \u00a0")
	return text == "--"
}

// label says which line of a header a line is.
type label uint8

const (
	labelNone label = iota
	labelFrom
	labelOther
)

// headerLabel returns which line of a header a line is: From: Jo, *Von:* Jo.
func headerLabel(text string) label {
	text = strings.TrimLeft(text, "*_> \u00a0")
	i := strings.IndexAny(text, ":：")
	if i < 0 || i > 40 {
		return labelNone
	}
	name := strings.ToLower(strings.Trim(text[:i], "*_ \u00a0\t"))
	switch {
	case fromLabels[name]:
		return labelFrom
	case otherLabels[name]:
		return labelOther
	}
	return labelNone
}

var (
	fromLabels = words("from", "von", "de", "da", "van", "från", "fra", "lähettäjä", "od", "от", "от кого", "від", "kimden", "gönderen", "feladó", "από", "de la",
		"发件人", "寄件者", "寄件人", "差出人", "送信者", "보낸 사람", "보낸사람", "dari", "từ", "מאת", "من", "frá", "remitente", "expéditeur", "mittente", "remetente", "absender")
	otherLabels = words(
		"sent", "date", "to", "cc", "bcc", "subject", "reply-to", "importance", "attachments", "when", "where",
		"gesendet", "datum", "an", "kopie", "betreff", "antwort an", "wichtigkeit", "anlagen",
		"envoyé", "à", "objet", "date d'envoi", "envoyé le", "répondre à",
		"enviado", "enviado el", "fecha", "para", "asunto", "cco",
		"inviato", "data", "a", "oggetto", "ogg",
		"enviada em", "enviado em", "enviada", "assunto",
		"verzonden", "aan", "onderwerp",
		"skickat", "till", "ämne", "kopia",
		"sendt", "til", "emne", "dato",
		"lähetetty", "päiväys", "vastaanottaja", "kopio", "aihe",
		"wysłano", "data", "do", "dw", "temat", "wysłane",
		"odesláno", "datum", "komu", "kopie", "předmět", "odoslané", "dátum", "predmet",
		"отправлено", "дата", "кому", "копия", "тема", "надіслано", "копія",
		"gönderildi", "gönderme tarihi", "tarih", "kime", "bilgi", "konu",
		"elküldve", "dátum", "címzett", "másolatot kap", "tárgy",
		"ημερομηνία", "στάλθηκε", "προς", "θέμα", "trimis", "către", "subiect",
		"发送时间", "日期", "时间", "收件人", "抄送", "主题", "寄件日期", "傳送時間", "收件者", "副本", "主旨",
		"送信日時", "日時", "日付", "宛先", "件名",
		"보낸 날짜", "날짜", "받는 사람", "받는사람", "참조", "제목",
		"תאריך", "נשלח", "אל", "נושא", "إلى", "تاريخ", "الموضوع", "تم الإرسال")
)

// deviceLines are what phones and programs write below a mail: how the line begins, and
// how it ends.
var deviceLines = []struct{ start, end string }{
	{"sent from", ""}, {"sent with", ""}, {"sent via", ""}, {"sent using", ""}, {"get outlook", ""}, // English
	{"von meinem", "gesendet"}, {"gesendet von", ""}, {"gesendet mit", ""}, {"diese nachricht wurde von meinem", "gesendet"}, {"outlook für", ""}, // German
	{"envoyé de", ""}, {"envoyé à partir de", ""}, {"télécharger outlook", ""}, {"obtenir outlook", ""}, // French
	{"enviado desde", ""}, {"enviado de", ""}, {"obtener outlook", ""}, // Spanish
	{"enviado do", ""}, {"enviado a partir", ""}, {"enviado pelo", ""}, {"obter o outlook", ""}, // Portuguese
	{"inviato da", ""}, {"ottieni outlook", ""}, // Italian
	{"verstuurd vanaf", ""}, {"verzonden vanaf", ""}, {"verstuurd met", ""}, {"outlook voor", ""}, // Dutch
	{"skickat från", ""}, {"hämta outlook", ""}, {"sendt fra", ""}, {"hent outlook", ""}, // Swedish, Danish, Norwegian
	{"lähetetty", ""}, {"hanki outlook", ""}, // Finnish
	{"wysłane z", ""}, {"wysłano z", ""}, {"pobierz outlook", ""}, // Polish
	{"odesláno z", ""}, {"odoslané z", ""}, {"získat outlook", ""}, // Czech, Slovak
	{"отправлено с", ""}, {"отправлено из", ""}, {"надіслано з", ""}, // Russian, Ukrainian
	{"iphone", "gönderildi"}, {"android", "gönderildi"}, {"küldve", ""}, {"στάλθηκε από", ""}, // Turkish, Hungarian, Greek
	{"发自", ""}, {"從我的", "傳送"}, {"从我的", "发送"}, // Chinese
	{"iphone", "から送信"}, {"android", "から送信"}, {"나의", "보냄"}, {"내", "보냄"}, // Japanese, Korean
	{"נשלח מ", ""}, {"أُرسلت من", ""}, // Hebrew, Arabic
}

// devices are words that one of these lines has.
var devices = []string{
	"iphon", "ipad", "android", "galaxy", "samsung", "huawei", "xiaomi", "pixel", "blackberry", "smartphone", "handy", "phone", "mobile", "mobil", "tablet",
	"outlook", "mail", "gmail", "windows", "téléphone", "móvil", "celular", "telefon", "telefoon", "cellulare", "puhelime", "手机", "手機", "айфон", "телефон",
}

// mostDeviceLine is how many characters such a line has.
const mostDeviceLine = 80

// deviceLine reports whether a line is what a phone or a program writes below a mail.
// Both a phrase and a device are needed, because people write about either.
func deviceLine(text string) bool {
	text = strings.ToLower(strings.Trim(text, "*_<>. \u00a0"))
	text = strings.ReplaceAll(text, "’", "'")
	if utf8.RuneCountInString(text) > mostDeviceLine {
		return false
	}
	for _, l := range deviceLines {
		if strings.HasPrefix(text, l.start) && strings.HasSuffix(text, l.end) {
			for _, d := range devices {
				if strings.Contains(text, d) {
					return true
				}
			}
		}
	}
	return false
}
