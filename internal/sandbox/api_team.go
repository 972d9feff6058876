package sandbox

import "fmt"

// teamInfo describes the caller's own workspace. Slack describes another only if
// the two share a channel, which never happens here.
func teamInfo(c *call) (object, error) {
	w, err := c.workspace(c.a.Team)
	if err != nil {
		return nil, err
	}
	id, domain := c.args.text("team"), c.args.text("domain")
	if id != "" && id != w.ID || id == "" && domain != "" && domain != w.Domain {
		return nil, refuse("team_not_found")
	}
	icon := object{"image_default": true}
	for _, size := range []int{34, 44, 68, 88, 102, 132, 230} {
		icon[fmt.Sprintf("image_%d", size)] = c.s.url("/avatars/%s-icon-%d.svg", w.ID, size)
	}
	return object{"team": object{"id": w.ID, "name": w.Name, "url": w.URL, "domain": w.Domain,
		"email_domain": "", // nobody joins just by their email's domain
		"icon":         icon, "avatar_base_url": c.s.url("/avatars/"), "is_verified": false}}, nil
}

// botsInfo describes an app's bot by its B… id.
func botsInfo(c *call) (object, error) {
	in, err := scanInstallation(c.Row(installationColumns+"WHERE team_id = $1 AND bot_id = $2", c.a.Team, c.args.text("bot")).Scan)
	if err != nil {
		return nil, missing(err, "bot_not_found")
	}
	p := c.botProfile(c.a.Team, in.App)
	return object{"bot": object{"id": p.ID, "app_id": p.AppID, "user_id": p.UserID, "name": p.Name, "icons": p.Icons,
		"deleted": !in.Active, "updated": p.Updated}}, nil
}
