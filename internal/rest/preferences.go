package rest

import (
	"maps"
	"slices"

	"frontdesk/internal/desk"
	"frontdesk/internal/preference"
)

// givenPreferences reads a change of preferences. An unknown key is a mistake here,
// because who sent it would think that it was kept.
func givenPreferences(b object) preference.Given {
	b.only("language", "density", "undo_seconds", "timeline", "notify", "quiet_hours")
	g := preference.Given{Language: nullable[preference.Language](b, "language", "a string"), Density: (*preference.Density)(b.text("density")), UndoSeconds: member[int](b, "undo_seconds", "a whole number"), Timeline: b.flag("timeline")}
	if b.has("notify") {
		g.Notify = givenNotify(b.inside("notify"))
	}
	switch {
	case string(b.members["quiet_hours"]) == "null":
		g.Quiet = desk.Null[preference.GivenQuiet]()
	case b.has("quiet_hours"):
		if in := b.inside("quiet_hours"); in.members != nil {
			in.only("start", "end", "time_zone")
			g.Quiet = desk.Just(preference.GivenQuiet{Start: in.required("start"), End: in.required("end"), Zone: in.nullableText("time_zone").Value})
		}
	}
	return g
}

func givenNotify(b object) map[desk.NotificationKind]preference.GivenWays {
	b.only(desk.Each(desk.NotificationKinds, func(k desk.NotificationKind) string { return string(k) })...)
	all := map[desk.NotificationKind]preference.GivenWays{}
	for _, kind := range desk.NotificationKinds {
		if name := string(kind); b.has(name) {
			in := b.inside(name)
			in.only("app", "chat", "email")
			all[kind] = preference.GivenWays{App: in.flag("app"), Chat: in.flag("chat"), Email: in.flag("email")}
		}
	}
	return all
}

// only reports fields with other names.
func (o object) only(names ...string) {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(names, name) && !slices.Contains(fileMembers, name) { // files are reported elsewhere
			o.problems.Add(o.at+name, "is not known")
		}
	}
}
