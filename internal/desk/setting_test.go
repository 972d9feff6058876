package desk

import (
	"reflect"
	"testing"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name   string
		given  SettingsChange
		fields []string
	}{
		{"none", SettingsChange{}, nil},
		{"assigned to nobody", SettingsChange{AutoAssign: ptr(AssignNobody)}, nil},
		{"assigned by turns", SettingsChange{AutoAssign: ptr(AssignRoundRobin)}, nil},
		{"assigned otherwise", SettingsChange{AutoAssign: ptr(AutoAssign("None"))}, []string{"config.auto_assign"}},
		{"no grouping", SettingsChange{GroupingMinutes: ptr(0)}, nil},
		{"less", SettingsChange{GroupingMinutes: ptr(-1)}, []string{"config.grouping_minutes"}},
		{"a day", SettingsChange{GroupingMinutes: ptr(1440)}, nil},
		{"more", SettingsChange{GroupingMinutes: ptr(1441)}, []string{"config.grouping_minutes"}},
		{"nobody is told", SettingsChange{Notify: ptr(NotifyNobody)}, nil},
		{"told directly", SettingsChange{Notify: ptr(NotifyDirect)}, nil},
		{"told otherwise", SettingsChange{Notify: ptr(Notify(""))}, []string{"config.notify"}},
		{"an emoji of another rule", SettingsChange{Emoji: EmojiChange{Request: &[]string{"fire", "ticket"}}}, []string{"emoji_config.request[1]"}},
		{"nothing right", SettingsChange{AutoAssign: ptr(AutoAssign("x")), GroupingMinutes: ptr(9999), Notify: ptr(Notify("x")), Emoji: EmojiChange{Take: &[]string{""}}},
			[]string{"config.auto_assign", "config.grouping_minutes", "config.notify", "emoji_config.take[0]"}},
	} {
		_, err := NewCollection{Name: "x", Kind: APICollection, Settings: c.given}.Collection(early)
		if !reflect.DeepEqual(fieldsOf(t, err), c.fields) {
			t.Errorf("%s: %v, want a problem with %v", c.name, err, c.fields)
		}
	}
}
