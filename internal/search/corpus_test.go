package search_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/search"
	"frontdesk/internal/sqldb"
)

// corpus is what people write to a help desk, one document an hour.
var corpus = []search.Document{
	{ID: 1, Title: "Printer on fire", Public: "The printer on the third floor is on fire again. Error 0x80070005 in report_final.pdf, see ACME-17."},
	{ID: 2, Title: "Refund for order 1042", Public: "Please refund jo.doe+shop@mail.example.com, ticket ACME-170.", Private: "customer is angry, refund approved by Mira"},
	{ID: 3, Title: "Crème brûlée recipe", Public: "À la carte: crème brûlée, déjà vu, Zoë's café. Straße und Fußball in Köln."},
	{ID: 4, Title: "Ошибка при входе", Public: "Не могу войти: ёлка, пароль не подходит. Код ошибки E-404."},
	{ID: 5, Title: "東京都の請求書", Public: "請求書をダウンロードできません。エラーコードは５０３です。東京タワー"},
	{ID: 6, Title: "发票下载失败", Public: "我们无法下载二月份的发票，北京办公室。", Private: "内部备注"},
	{ID: 7, Title: "로그인 문제", Public: "비밀번호를 재설정했지만 로그인할 수 없습니다."},
	{ID: 8, Title: "ลืมรหัสผ่าน", Public: "ฉันลืมรหัสผ่านและเข้าสู่ระบบไม่ได้"},
	{ID: 9, Title: "مشكلة في الفاتورة", Public: "لا أستطيع تحميل الفَاتُورَة، حساب أحمد"},
	{ID: 10, Title: "בעיה בהתחברות", Public: "שָׁלוֹם, אני לא מצליח להתחבר"},
	{ID: 11, Title: "हिन्दी में सहायता", Public: "मुझे लॉगिन में सहायता चाहिए"},
	{ID: 12, Title: "ΑΔΥΝΑΤΗ ΣΥΝΔΕΣΗ", Public: "Δεν μπορώ να συνδεθώ, Οδυσσεύς"},
	{ID: 13, Title: "v2.1.3 release", Public: "Upgrade from v2.1.3 to v2.10 fails at https://status.example.com/incidents/9f8e7d?x=1 & 10.0.0.1:8080"},
	{ID: 14, Title: "🔥🔥 urgent!!", Public: "<script>alert('x')</script> '; DROP TABLE accounts;-- \"quoted words\" 100% \\ _ *"},
	{ID: 15, Title: "", Public: "", Private: "only a private note: flamingo"},
	{ID: 16, Title: "Refunds", Public: "printer refunded; on the fire printer", Private: "printer on fire"},
}

type list = []int64

// corpusQueries say what is found, newest first: all documents, and those of them
// that are found only by private text.
var corpusQueries = []struct {
	text         string
	all, private list
}{
	{"printer ", list{16, 1}, nil},
	{"PRINTER fire", list{16, 1}, nil},
	{`"printer on fire"`, list{16, 1}, list{16}},
	{`"fire printer"`, list{16}, nil},
	{`"on fire" printer `, list{16, 1}, list{16}},
	{"refund ", list{2}, nil},
	{"refund", list{16, 2}, nil},
	{"ref", list{16, 2}, nil},
	{"r", list{}, nil},
	{"refund mira ", list{2}, list{2}},
	{"approved ", list{2}, list{2}},
	{"flamingo", list{15}, list{15}},
	{"ACME-17 ", list{1}, nil},
	{"acme-17", list{2, 1}, nil},
	{"ACME", list{2, 1}, nil},
	{"17 ", list{1}, nil},
	{"error 0x8007", list{1}, nil},
	{"0x80070005", list{1}, nil},
	{"report_final.pdf", list{1}, nil},
	{"final ", list{1}, nil},
	{"report.pdf ", list{}, nil},
	{"jo.doe+shop@mail.example.com", list{2}, nil},
	{"example.com", list{13, 2}, nil},
	{"mail.example.com", list{2}, nil},
	{"doe ", list{2}, nil},
	{"v2.1.3 ", list{13}, nil},
	{"v2.1", list{13}, nil},
	{"v2.1.4 ", list{}, nil},
	{"10.0.0.1:8080", list{13}, nil},
	{"https://status.example.com/incidents/9f8e7d?x=1", list{13}, nil},
	{"creme brulee ", list{3}, nil},
	{"CRÈME", list{3}, nil},
	{"strasse fussball koln zoe", list{3}, nil},
	{"ошибка ", list{4}, nil},
	{"ОШИБ", list{4}, nil},
	{"елка", list{4}, nil},
	{"E-404", list{4}, nil},
	{"東京", list{5}, nil},
	{"東京都", list{5}, nil},
	{"京都", list{5}, nil}, // two characters of a run: the cost of having no dictionary
	{"都京", list{}, nil},
	{"京", list{6, 5}, nil},
	{"請求書 503 ", list{5}, nil},
	{"ﾀﾞｳﾝﾛｰﾄﾞ", list{5}, nil},
	{"东京", list{}, nil},
	{"发票", list{6}, nil},
	{"下载二月份", list{6}, nil},
	{"内部", list{6}, list{6}},
	{"로그인", list{7}, nil},
	{"비밀번호 로그인 ", list{7}, nil},
	{"รหัสผ่าน", list{8}, nil},
	{"الفاتورة", list{9}, nil},
	{"احمد", list{9}, nil},
	{"שלום", list{10}, nil},
	{"सहायता", list{11}, nil},
	{"συνδεση οδυσσευς", list{12}, nil},
	{"drop table accounts", list{14}, nil},
	{`"quoted words"`, list{14}, nil},
	{"<script>", list{14}, nil},
	{"100%", list{14}, nil},
	// A text without words finds nothing. An engine's syntax finds its words.
	{"", list{}, nil}, {" ", list{}, nil}, {"🔥", list{}, nil}, {`"`, list{}, nil}, {"*", list{}, nil}, {"%", list{}, nil},
	{"()&|!<->:*^~{}[]\\'", list{}, nil}, {"\x00", list{}, nil}, {"\xff\xfe", list{}, nil},
	{"printer OR refund", list{}, nil},
	{"printer -fire ", list{16, 1}, nil},
	{"title:printer ", list{}, nil},
	{"print* ", list{}, nil},
	{"NEAR(printer fire)", list{}, nil},
	{"prin\x00ter", list{}, nil},
	{"1=printer", list{}, nil}, // the internal form of terms
	{strings.Repeat("printer ", 1250), list{16, 1}, nil},
	{strings.Repeat("p", 10_000), list{}, nil},
	{strings.Repeat("(", 10_000), list{}, nil},
	{strings.Repeat(`"`, 10_000), list{}, nil},
	{strings.Repeat("東", 3_000), list{}, nil},
	{`"` + strings.Repeat("on the printer ", 700), list{}, nil},
}

func TestCorpus(t *testing.T) {
	each(t, func(t *testing.T, db *sqldb.DB) {
		for _, d := range corpus {
			d.Account, d.At = 1, start.Add(time.Duration(d.ID)*time.Hour)
			put(t, db, d)
		}
		for _, c := range corpusQueries {
			for _, onlyPublic := range []bool{false, true} {
				wanted := slices.DeleteFunc(slices.Clone(c.all), func(id int64) bool { return onlyPublic && slices.Contains(c.private, id) })
				for _, rank := range []bool{false, true} {
					hits, more := find(t, db, search.Query{Account: 1, Text: c.text, OnlyPublic: onlyPublic, Rank: rank})
					got := ids(hits)
					if rank {
						slices.SortFunc(got, func(a, b int64) int { return int(b - a) })
					}
					if !slices.Equal(got, wanted) || more {
						t.Errorf("%.60q, only public %v, by rank %v: found %v, more %v; want %v", c.text, onlyPublic, rank, got, more, wanted)
					}
				}
				if hits, _ := find(t, db, search.Query{Account: 2, Text: c.text, OnlyPublic: onlyPublic}); len(hits) > 0 {
					t.Errorf("%.60q: another account found %v", c.text, ids(hits))
				}
			}
		}
	})
}
