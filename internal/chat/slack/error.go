package slack

import (
	"frontdesk/internal/chat"
	"frontdesk/internal/desk"
	"frontdesk/internal/remote"
)

// lost is the kind of codes that say that a token is no longer valid.
const lost desk.Kind = -1

// meaning is what a code means to our callers.
type meaning struct {
	kind    desk.Kind
	message string
}

var (
	noToken    = meaning{kind: lost}
	noChannel  = meaning{desk.NotFound, "There is no such channel in Slack, or Frontdesk is not in it."}
	noMessage  = meaning{desk.NotFound, "There is no such message in Slack any more."}
	noFile     = meaning{desk.NotFound, "There is no such file in Slack any more."}
	noUser     = meaning{desk.NotFound, "There is no such person in Slack."}
	notIn      = meaning{desk.Forbidden, "Frontdesk is not in this Slack channel. Somebody in it must invite Frontdesk."}
	notAllowed = meaning{desk.Forbidden, "Slack does not let Frontdesk do this."}
	notOurs    = meaning{desk.Forbidden, "Slack lets only the author change this message."}
	noScope    = meaning{desk.Forbidden, "Slack has not given Frontdesk the permission for this. Connect Slack again."}
	archived   = meaning{desk.Refused, "The Slack channel is archived."}
	tooLong    = meaning{desk.Invalid, "The text is too long for a Slack message."}
	badContent = meaning{desk.Invalid, "Slack does not take this content."}
	tooLate    = meaning{desk.Refused, "It is too late to open this form. Press the button again."}
	badCode    = meaning{desk.Refused, "Slack does not accept this approval any more. Connect Slack again."}
	badApp     = meaning{desk.Refused, "Slack does not know this server's app. Check the client id, the secret and the public address."}
	fileTooBig = meaning{desk.TooLarge, "The file is too large for Slack."}
	notNow     = meaning{desk.Unavailable, "Slack cannot be reached at the moment."}
)

// meanings are the codes that we handle. Any other is Refused.
var meanings = map[string]meaning{
	"invalid_auth": noToken, "not_authed": noToken, "account_inactive": noToken, "token_revoked": noToken, "token_expired": noToken,
	"team_access_not_granted": noToken, "org_login_required": noToken, "enterprise_is_restricted": noToken, "app_not_installed": noToken,
	"team_disabled": noToken, "no_such_team": noToken,

	"channel_not_found": noChannel, "message_not_found": noMessage, "thread_not_found": noMessage, "no_item_specified": noMessage,
	"bad_timestamp": noMessage, "invalid_thread_ts": noMessage, "invalid_ts_oldest": noMessage, "invalid_ts_latest": noMessage,
	"file_not_found": noFile, "file_deleted": noFile, "user_not_found": noUser, "users_not_found": noUser, "user_disabled": noUser,
	"user_not_visible": noUser, "cannot_dm_bot": noUser, "invalid_users": noUser, "users_list_not_supplied": noUser, "no_users_provided": noUser,

	"not_in_channel": notIn, "method_not_supported_for_channel_type": notIn, "restricted_action_read_only_channel": notAllowed,
	"restricted_action": notAllowed, "restricted_action_thread_only_channel": notAllowed, "restricted_action_non_threadable_channel": notAllowed,
	"restricted_action_thread_locked": notAllowed, "access_denied": notAllowed, "no_permission": notAllowed, "not_allowed_token_type": notAllowed,
	"ekm_access_denied": notAllowed, "cannot_reply_to_message": notAllowed, "not_reactable": notAllowed, "two_factor_setup_required": notAllowed,
	"user_not_in_channel": notAllowed, "file_sharing_disabled": notAllowed, "posting_to_channel_denied": notAllowed, "accesslimited": notAllowed,
	"missing_scope": noScope, "cant_update_message": notOurs, "cant_delete_message": notOurs, "edit_window_closed": notOurs,
	"compliance_exports_prevent_deletion": notOurs,

	"is_archived": archived, "is_inactive": archived,
	"expired_trigger_id": tooLate, "trigger_expired": tooLate, "exchanged_trigger_id": tooLate, "trigger_exchanged": tooLate, "invalid_trigger_id": tooLate,
	"invalid_trigger": tooLate,
	"invalid_code":    badCode, "code_already_used": badCode, "code_expired": badCode, "oauth_authorization_url_mismatch": badCode,
	"bad_client_secret": badApp, "invalid_client_id": badApp, "bad_redirect_uri": badApp, "invalid_scope": badApp, "invalid_grant_type": badApp,
	"message_limit_exceeded": {desk.Refused, "Slack takes no more messages in this workspace at the moment."},
	"too_many_emoji":         {desk.Refused, "The message has as many reactions as Slack allows."},
	"too_many_reactions":     {desk.Refused, "The message has as many reactions as Slack allows."},

	"msg_too_long": tooLong, "no_text": {desk.Invalid, "A message must have a text."},
	"invalid_blocks": badContent, "invalid_blocks_format": badContent, "invalid_attachments": badContent, "too_many_attachments": badContent,
	"attachment_payload_limit_exceeded": badContent, "invalid_arguments": badContent, "invalid_argument": badContent, "invalid_arg_name": badContent,
	"missing_argument": badContent, "invalid_form_data": badContent, "msg_blocks_too_long": tooLong, "view_too_large": badContent,
	"invalid_metadata_format": badContent, "invalid_metadata_schema": badContent, "metadata_too_large": badContent,
	"markdown_text_conflict": badContent, "invalid_cursor": {desk.Invalid, "The cursor is no longer good. Begin again."},
	"invalid_limit": badContent, "invalid_name": {desk.Invalid, "There is no such emoji in Slack."},
	"file_upload_size_restricted": fileTooBig, "file_uploads_disabled": notAllowed, "file_uploads_except_images_disabled": notAllowed,
	"storage_limit_reached": {desk.Refused, "The Slack workspace has no space left for files."},

	"fatal_error": notNow, "internal_error": notNow, "service_unavailable": notNow, "request_timeout": notNow, "team_added_to_org": notNow,
	"external_channel_migrating": notNow, "team_is_being_migrated": notNow, "upgrade_required": notNow,
}

// failure returns the error for our callers. If a person's token is invalid, we
// have not lost the workspace.
func (who caller) failure(r *remote.Refusal) error {
	m, known := meanings[r.Code]
	switch {
	case !known:
		return r.Means(desk.Refused, "Slack refused this: "+r.Code+".")
	case m.kind == lost && who.person:
		return r.Means(desk.Forbidden, "Slack no longer lets Frontdesk act for this person. They must allow it again.")
	case m.kind == lost:
		return r.Lost(chat.ErrLost)
	}
	return r.Means(m.kind, m.message)
}

// unknown returns the error for a call whose outcome is not known.
func unknown(method string, err error) error { return remote.Unknown(called, method, err) }
