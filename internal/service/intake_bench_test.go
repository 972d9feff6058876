package service

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/chat"
	"frontdesk/internal/chat/slack"
	"frontdesk/internal/desk"
	"frontdesk/internal/sqldb"
	"frontdesk/internal/sqldb/dbtest"
	"frontdesk/internal/store"
)

// BenchmarkReceive receives messages that 32 callers deliver at the same time. A
// quarter of them start a conversation; the others answer.
func BenchmarkReceive(b *testing.B) {
	for _, engine := range []sqldb.Engine{sqldb.SQLite, sqldb.Postgres} {
		b.Run(string(engine), func(b *testing.B) {
			now := time.Now()
			c := openCompany(b, &company{url: dbtest.URL(b, engine), clock: &clock{now: now, goes: now}, chats: []chat.System{slack.New(slack.Config{})}})
			_, err := c.Install(ctx, c.account.ID, desk.Slack, chat.Installation{Workspace: "T1", Name: "Acme", Bot: chat.Credential{User: "U_BOT", Token: "xoxb-1"}})
			must(b, err)
			channels := make([]desk.NewChannel, 12)
			must(b, c.store.Write(ctx, c.account.ID, func(tx *store.Tx) error {
				var told []store.Report[desk.Channel]
				for i := range channels {
					channels[i].ID = fmt.Sprintf("C%d", i)
					told = append(told, store.Report[desk.Channel]{Is: desk.Channel{ID: channels[i].ID, Name: channels[i].ID, BotMember: true}})
				}
				if _, err := tx.PutChannels(told, tx.Now); err != nil {
					return err
				}
				_, err := tx.PutUsers([]store.Report[desk.User]{{Is: desk.User{ID: "U_ASKS", Name: "Ines", Email: "ines@harborpine.example"}},
					{Is: desk.User{ID: "U_HELPS", Name: "Maya", Email: "maya@acme.example"}}}, tx.Now)
				return err
			}))
			none := 0
			col, err := c.CreateCollection(ctx, c.caller(), desk.NewCollection{Name: "Support", Kind: desk.ChatCollection,
				Responders: []desk.Responder{{UserID: "U_HELPS"}}, Settings: desk.SettingsChange{GroupingMinutes: &none}})
			must(b, err)
			_, err = c.AddChannels(ctx, c.caller(), col.ID, desk.NewChannels{Channels: channels})
			must(b, err)

			var next atomic.Int64
			b.SetParallelism(16) // 32 on two cores
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				thread, channel := "", ""
				for i := 0; p.Next(); i++ {
					n := next.Add(1)
					at := now.Add(time.Duration(n) * time.Microsecond)
					m := chat.Message{Ref: chat.Ref{ID: fmt.Sprintf("%d.%06d", at.Unix(), at.UnixMicro()%1e6)}, Author: "U_ASKS", HTML: "<p>Our export fails since this morning, can you help?</p>", At: at}
					if i%4 == 0 {
						thread, channel = m.ID, channels[n%int64(len(channels))].ID
					} else {
						m.Thread = thread
					}
					if m.Channel = channel; i%4 == 2 {
						m.Author = "U_HELPS"
					}
					if err := c.Receive(ctx, chat.Event{System: "slack", Workspace: "T1", At: at, Message: &m}); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			b.ReportMetric(float64(c.store.DB().Stats().Retries)/float64(b.N), "retries/op")
		})
	}
}
