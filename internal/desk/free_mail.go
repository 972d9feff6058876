package desk

// freeMail lists domains where anybody can get an address. They say nothing about
// the organisation of a person.
var freeMail = map[string]bool{
	"gmail.com": true, "googlemail.com": true,
	"outlook.com": true, "hotmail.com": true, "hotmail.co.uk": true, "hotmail.de": true, "hotmail.fr": true, "hotmail.es": true, "hotmail.it": true,
	"live.com": true, "live.co.uk": true, "live.de": true, "live.fr": true, "live.nl": true, "msn.com": true, "windowslive.com": true,
	"yahoo.com": true, "yahoo.co.uk": true, "yahoo.co.in": true, "yahoo.co.jp": true, "yahoo.de": true, "yahoo.fr": true, "yahoo.es": true, "yahoo.it": true,
	"yahoo.ca": true, "yahoo.com.au": true, "yahoo.com.br": true, "ymail.com": true, "rocketmail.com": true, "aol.com": true, "aim.com": true,
	"icloud.com": true, "me.com": true, "mac.com": true,
	"proton.me": true, "protonmail.com": true, "pm.me": true, "tutanota.com": true, "tuta.io": true, "tuta.com": true, "fastmail.com": true, "fastmail.fm": true,
	"hey.com": true, "zoho.com": true, "zohomail.com": true, "mail.com": true, "email.com": true, "gmx.com": true, "gmx.net": true, "gmx.de": true, "gmx.at": true,
	"gmx.ch": true, "web.de": true, "freenet.de": true, "t-online.de": true, "posteo.de": true, "mailbox.org": true,
	"orange.fr": true, "wanadoo.fr": true, "free.fr": true, "laposte.net": true, "sfr.fr": true, "libero.it": true, "virgilio.it": true,
	"bol.com.br": true, "uol.com.br": true, "terra.com.br": true, "btinternet.com": true, "sky.com": true, "virginmedia.com": true,
	"comcast.net": true, "verizon.net": true, "att.net": true, "sbcglobal.net": true, "cox.net": true, "charter.net": true, "bellsouth.net": true, "earthlink.net": true,
	"rogers.com": true, "shaw.ca": true, "bigpond.com": true, "optusnet.com.au": true, "rediffmail.com": true,
	"yandex.com": true, "yandex.ru": true, "ya.ru": true, "mail.ru": true, "inbox.ru": true, "list.ru": true, "bk.ru": true, "rambler.ru": true,
	"qq.com": true, "foxmail.com": true, "163.com": true, "126.com": true, "yeah.net": true, "sina.com": true, "sina.cn": true, "sohu.com": true, "aliyun.com": true,
	"naver.com": true, "daum.net": true, "hanmail.net": true, "nate.com": true, "docomo.ne.jp": true, "ezweb.ne.jp": true, "softbank.ne.jp": true,
	"seznam.cz": true, "wp.pl": true, "o2.pl": true, "onet.pl": true, "interia.pl": true, "abv.bg": true, "ukr.net": true, "bluewin.ch": true,
	"telenet.be": true, "skynet.be": true, "ziggo.nl": true, "kpnmail.nl": true, "telia.com": true, "hushmail.com": true, "mailinator.com": true,
}

// IsFreeMail reports whether anybody can get an address in the domain.
func IsFreeMail(domain string) bool { return freeMail[lowerASCII(domain)] }
