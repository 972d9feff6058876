// Drives every method of the sandbox with Slack's published client. The test
// that runs it says in SANDBOX where the sandbox is and who is in it.
'use strict';

const assert = require('node:assert/strict');
const { WebClient, ErrorCode, LogLevel } = require('@slack/web-api');

const world = JSON.parse(process.env.SANDBOX);
const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => LogLevel.ERROR, setName() {} };
const client = (token, options = {}) => new WebClient(token, {
  slackApiUrl: `${world.url}/sandbox/api/`, logger: quiet, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true, ...options,
});
const bot = client(world.bot);
const { owner, maya } = world;

// refused expects a call to be refused with a code, and returns the answer.
async function refused(code, call) {
  try {
    await call;
  } catch (e) {
    assert.equal(e.code, ErrorCode.PlatformError, String(e));
    assert.equal(e.data.error, code);
    return e.data;
  }
  return assert.fail(`expected ${code}`);
}

const tests = {
  async auth() {
    const who = await bot.auth.test();
    assert.equal(who.team_id, world.team);
    assert.equal(who.user_id, world.botUser);
    assert.ok(who.response_metadata.scopes.includes('chat:write'));
    await refused('invalid_auth', client('xoxb-wrong').auth.test());
    await refused('not_authed', client(undefined).auth.test());
  },

  async oauth() {
    const anyone = client(undefined);
    const keys = { client_id: world.clientID, client_secret: world.clientSecret };
    const granted = await anyone.oauth.v2.access({ ...keys, code: world.code });
    assert.equal(granted.access_token, world.bot);
    assert.equal(granted.token_type, 'bot');
    assert.equal(granted.authed_user.id, owner);
    await refused('code_already_used', anyone.oauth.v2.access({ ...keys, code: world.code }));
    await refused('invalid_code', anyone.oauth.v2.access({ ...keys, code: 'x' }));
    await refused('bad_client_secret', anyone.oauth.v2.access({ ...keys, client_secret: 'x', code: 'x' }));
  },

  async people() {
    const ids = [];
    for await (const page of bot.paginate('users.list', { limit: 3 })) {
      assert.ok(page.members.length <= 3);
      ids.push(...page.members.map((m) => m.id));
    }
    assert.equal(ids.length, 10);
    assert.equal(new Set(ids).size, 10);
    await refused('invalid_cursor', bot.users.list({ cursor: 'x' }));
    const { user } = await bot.users.info({ user: maya });
    assert.equal(user.real_name, 'Maya Lindqvist');
    assert.equal(user.profile.email, 'maya@desk.test');
    await refused('user_not_found', bot.users.info({ user: 'U0' }));
    const missing = await refused('invalid_arguments', bot.users.info({}));
    assert.deepEqual(missing.response_metadata.messages, ['[ERROR] missing required field: user']);
    assert.equal((await bot.users.lookupByEmail({ email: 'maya@desk.test' })).user.id, maya);
    await refused('users_not_found', bot.users.lookupByEmail({ email: 'nobody@desk.test' }));
    assert.equal((await bot.users.getPresence({ user: maya })).presence, 'active');
    assert.equal((await bot.dnd.teamInfo({ users: `${maya},${owner}` })).users[maya].dnd_enabled, false);
    const { usergroups } = await bot.usergroups.list({ include_users: true, include_count: true });
    assert.deepEqual(usergroups[0].users, [maya]);
    assert.equal(usergroups[0].user_count, 1);
    assert.deepEqual((await bot.usergroups.users.list({ usergroup: usergroups[0].id })).users, [maya]);
    await refused('no_such_subteam', bot.usergroups.users.list({ usergroup: 'S0' }));
  },

  async scopes() {
    const poor = client(world.poor);
    const said = await refused('missing_scope', poor.users.info({ user: maya }));
    assert.equal(said.needed, 'users:read');
    assert.equal(said.provided, 'chat:write');
    await refused('missing_scope', poor.conversations.list());
    await refused('missing_scope', poor.reactions.add({ channel: world.channel, timestamp: '1.1', name: 'x' }));
    await refused('missing_scope', poor.chat.postMessage({ channel: world.channel, text: 'x', username: 'Bob' }));
  },

  async conversations() {
    const { channel } = await bot.conversations.create({ name: 'node-desk' });
    assert.equal(channel.is_member, true);
    await refused('name_taken', bot.conversations.create({ name: 'node-desk' }));
    await refused('invalid_name_specials', bot.conversations.create({ name: 'Node Desk' }));
    const hidden = (await bot.conversations.create({ name: 'node-hidden', is_private: true })).channel;
    assert.equal(hidden.is_private, true);
    await bot.conversations.invite({ channel: channel.id, users: `${maya},${owner}` });
    await refused('already_in_channel', bot.conversations.invite({ channel: channel.id, users: maya }));
    await refused('cant_invite_self', bot.conversations.invite({ channel: channel.id, users: world.botUser }));
    assert.equal((await bot.conversations.join({ channel: channel.id })).warning, 'already_in_channel');
    const info = await bot.conversations.info({ channel: channel.id, include_num_members: true });
    assert.equal(info.channel.num_members, 3);
    await refused('channel_not_found', bot.conversations.info({ channel: 'C0' }));
    const members = [];
    for await (const page of bot.paginate('conversations.members', { channel: channel.id, limit: 2 })) members.push(...page.members);
    assert.deepEqual(members, [world.botUser, maya, owner]);
    const names = [];
    for await (const page of bot.paginate('conversations.list', { limit: 2, types: 'public_channel,private_channel' })) {
      names.push(...page.channels.map((c) => c.name));
    }
    assert.deepEqual(names, ['general', 'desk', 'node-desk', 'node-hidden']);
    await refused('invalid_types', bot.conversations.list({ types: 'lounge' }));
    const dm = await bot.conversations.open({ users: maya, return_im: true });
    assert.equal(dm.channel.is_im, true);
    assert.equal((await bot.conversations.open({ users: maya })).already_open, true);
    await refused('users_list_not_supplied', bot.conversations.open({}));
  },

  async messages() {
    const { channel } = world;
    const metadata = { event_type: 'reply', event_payload: { id: '7' } };
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*hi*' } }];
    const root = await bot.chat.postMessage({ channel, text: 'hi', blocks, metadata, unfurl_links: false, unfurl_media: false });
    assert.equal(root.message.metadata.event_payload.id, '7');
    assert.equal(root.message.bot_id, world.botID);
    const reply = await bot.chat.postMessage({ channel, text: 'yes', thread_ts: root.ts, username: 'Ines', icon_url: 'http://x.test/i.png' });
    assert.equal(reply.message.subtype, 'bot_message');
    assert.equal(reply.message.thread_ts, root.ts);
    await refused('no_text', bot.chat.postMessage({ channel }));
    await refused('channel_not_found', bot.chat.postMessage({ channel: 'C0', text: 'x' }));
    await refused('not_in_channel', bot.chat.postMessage({ channel: world.general, text: 'x' }));
    await refused('msg_too_long', bot.chat.postMessage({ channel, text: 'x'.repeat(40001) }));
    const wrong = await refused('invalid_blocks', bot.chat.postMessage({ channel, text: 'x', blocks: [{ type: 'poem' }] }));
    assert.match(wrong.response_metadata.messages[0], /unsupported type: poem/);

    const history = await bot.conversations.history({ channel, limit: 1, include_all_metadata: true });
    assert.equal(history.messages[0].ts, root.ts);
    assert.equal(history.messages[0].reply_count, 1);
    assert.deepEqual(history.messages[0].metadata, metadata);
    assert.equal(history.has_more, true);
    let seen = 0;
    for await (const page of bot.paginate('conversations.history', { channel, limit: 1 })) seen += page.messages.length;
    assert.equal(seen, 4); // three have joined
    await refused('invalid_ts_oldest', bot.conversations.history({ channel, oldest: 'x' }));
    const replies = await bot.conversations.replies({ channel, ts: root.ts, include_all_metadata: true });
    assert.deepEqual(replies.messages.map((m) => m.ts), [root.ts, reply.ts]);
    await refused('thread_not_found', bot.conversations.replies({ channel, ts: '1.000001' }));

    const changed = await bot.chat.update({ channel, ts: root.ts, text: 'changed' });
    assert.equal(changed.message.edited.user, world.botUser);
    await refused('message_not_found', bot.chat.update({ channel, ts: '1.000001', text: 'x' }));
    assert.ok((await bot.chat.postEphemeral({ channel, user: maya, text: 'psst' })).message_ts);
    await refused('user_not_in_channel', bot.chat.postEphemeral({ channel, user: world.stranger, text: 'psst' }));
    assert.match((await bot.chat.getPermalink({ channel, message_ts: reply.ts })).permalink, /thread_ts=/);

    const item = { channel, timestamp: root.ts };
    await bot.reactions.add({ ...item, name: 'eyes' });
    await refused('already_reacted', bot.reactions.add({ ...item, name: 'eyes' }));
    assert.deepEqual((await bot.reactions.get(item)).message.reactions, [{ name: 'eyes', users: [world.botUser], count: 1 }]);
    await bot.reactions.remove({ ...item, name: 'eyes' });
    await refused('no_reaction', bot.reactions.remove({ ...item, name: 'eyes' }));
    await refused('invalid_name', bot.reactions.add({ ...item, name: 'no such' }));

    await refused('cant_delete_message', client(world.mayaToken).chat.delete({ channel, ts: reply.ts }));
    await bot.chat.delete({ channel, ts: reply.ts });
    await refused('message_not_found', bot.chat.delete({ channel, ts: reply.ts }));
    // A member acts with a token of their own.
    const said = await client(world.mayaToken).chat.postMessage({ channel, text: 'me' });
    assert.equal(said.message.user, maya);
    assert.equal(said.message.bot_id, undefined);
    await refused('cant_update_message', bot.chat.update({ channel, ts: said.ts, text: 'x' }));
  },

  async files() {
    const { channel } = world;
    const done = await bot.files.uploadV2({ channel_id: channel, content: 'hello', filename: 'a.txt', title: 'A', initial_comment: 'see' });
    const { id } = done.files[0].files[0];
    const { file } = await bot.files.info({ file: id });
    assert.equal(file.size, 5);
    assert.deepEqual(file.channels, [channel]);
    const res = await fetch(file.url_private, { headers: { Authorization: `Bearer ${world.bot}` } });
    assert.equal(await res.text(), 'hello');
    await refused('file_not_found', bot.files.info({ file: 'F0' }));
    const ticket = await bot.files.getUploadURLExternal({ filename: 'b.txt', length: 1 });
    await refused('file_not_found', bot.files.completeUploadExternal({ files: [{ id: ticket.file_id }], channel_id: channel }));
    await refused('missing_argument', bot.files.getUploadURLExternal({ filename: 'b.txt', length: 0 }));
  },

  async workspace() {
    const { channel } = world;
    const ids = [];
    for await (const page of bot.paginate('users.conversations', { user: maya, limit: 1 })) ids.push(...page.channels.map((c) => c.id));
    assert.equal(ids.length, 3); // general, desk and node-desk
    assert.equal((await bot.users.profile.get({ user: maya })).profile.real_name, 'Maya Lindqvist');
    assert.equal((await bot.bots.info({ bot: world.botID })).bot.user_id, world.botUser);
    await refused('bot_not_found', bot.bots.info({ bot: 'B0' }));
    assert.equal((await bot.team.info()).team.id, world.team);
    assert.deepEqual((await bot.emoji.list()).emoji, {});
    assert.equal((await bot.conversations.setTopic({ channel, topic: 'Ships' })).channel.topic.value, 'Ships');
    assert.equal((await bot.conversations.setPurpose({ channel, purpose: 'Shipping' })).channel.purpose.value, 'Shipping');
    await refused('too_long', bot.conversations.setTopic({ channel, topic: 'x'.repeat(251) }));

    const posted = await bot.chat.postMessage({ channel, markdown_text: '# Ships\n\n- **one**\n- [two](https://x.test)' });
    assert.equal(posted.message.text, '*Ships*\n\n• *one*\n• <https://x.test|two>');
    assert.deepEqual(posted.message.blocks.map((b) => b.type), ['header', 'rich_text']);
    await bot.pins.add({ channel, timestamp: posted.ts });
    await refused('already_pinned', bot.pins.add({ channel, timestamp: posted.ts }));
    assert.deepEqual((await bot.pins.list({ channel })).items.map((i) => i.message.ts), [posted.ts]);
    await bot.pins.remove({ channel, timestamp: posted.ts });

    const list = await bot.files.list({ channel, count: 1 });
    assert.equal(list.paging.total, 1);
    await bot.files.delete({ file: list.files[0].id });
    await refused('file_deleted', bot.files.delete({ file: list.files[0].id }));

    const at = posted.ts.split('.')[0] - 0 + 3600;
    const scheduled = await bot.chat.scheduleMessage({ channel, post_at: at, text: 'later' });
    assert.equal(scheduled.post_at, at);
    const waiting = await bot.chat.scheduledMessages.list({ channel });
    assert.deepEqual(waiting.scheduled_messages.map((m) => [m.id, m.post_at, m.text]), [[scheduled.scheduled_message_id, at, 'later']]);
    await bot.chat.deleteScheduledMessage({ channel, scheduled_message_id: scheduled.scheduled_message_id });
    await refused('time_in_past', bot.chat.scheduleMessage({ channel, post_at: 1, text: 'x' }));
  },

  async views() {
    const view = {
      type: 'modal', title: { type: 'plain_text', text: 'Form' }, private_metadata: 'p',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'hi' } }],
    };
    const wrong = await refused('invalid_arguments', bot.views.open({ trigger_id: world.trigger, view: { type: 'modal' } }));
    assert.match(wrong.response_metadata.messages[0], /missing required field: title/);
    const opened = (await bot.views.open({ trigger_id: world.trigger, view })).view;
    await refused('exchanged_trigger_id', bot.views.open({ trigger_id: world.trigger, view }));
    await refused('invalid_trigger_id', bot.views.open({ trigger_id: '1.2.abc', view }));
    const updated = await bot.views.update({ view_id: opened.id, hash: opened.hash, view: { ...view, private_metadata: 'q' } });
    assert.equal(updated.view.private_metadata, 'q');
    await refused('hash_conflict', bot.views.update({ view_id: opened.id, hash: opened.hash, view }));
    await refused('not_found', bot.views.update({ view_id: 'V0', view }));
  },

  async limits() {
    const faults = (body) => fetch(`${world.url}/sandbox/faults`, { method: 'POST', headers: { Authorization: `Bearer ${world.doorCode}` }, body: JSON.stringify(body) });
    await faults({ faults: [{ kind: 'rate_limit', method: 'auth.test', delay: '7s', count: 1 }] });
    await assert.rejects(bot.auth.test(), (e) => e.code === ErrorCode.RateLimitedError && e.retryAfter === 7);
    await bot.auth.test();
    await faults({ faults: [{ kind: 'error_answer', count: 1 }] });
    await assert.rejects(bot.auth.test(), (e) => e.code === ErrorCode.HTTPError && e.statusCode === 500);
    await faults({ faults: [{ kind: 'drop_answer', count: 1 }] });
    await assert.rejects(bot.auth.test(), (e) => e.code === ErrorCode.RequestError);
    await faults({ faults: [] });
    await refused('unknown_method', bot.apiCall('chat.shout'));
  },
};

(async () => {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok ${name}`);
    } catch (e) {
      console.log(`not ok ${name}\n${e.stack}`);
      process.exitCode = 1;
    }
  }
})();
