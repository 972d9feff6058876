// An app made with Slack's Bolt, which knows nothing of the sandbox but its
// address. The test that runs it says in SANDBOX who the app is, gives it the
// socket it listens on, and reads from it what it has done, a line of JSON each.
'use strict';

const { App, LogLevel } = require('@slack/bolt');

const world = JSON.parse(process.env.SANDBOX);
const tell = (did, more = {}) => process.stdout.write(`${JSON.stringify({ did, ...more })}\n`);

const installations = new Map();
const app = new App({
  signingSecret: world.signingSecret,
  clientId: world.clientID,
  clientSecret: world.clientSecret,
  stateSecret: 'a secret of the app alone',
  scopes: world.scopes,
  redirectUri: world.redirect,
  installerOptions: {
    authorizationUrl: `${world.url}/sandbox/oauth/v2/authorize`,
    redirectUriPath: new URL(world.redirect).pathname,
    directInstall: true,
  },
  installationStore: {
    async storeInstallation(installation) {
      installations.set(installation.team.id, installation);
      tell('install', {
        team: installation.team.id, user: installation.user.id, bot: installation.bot.userId, botID: installation.bot.id, token: installation.bot.token,
      });
    },
    async fetchInstallation({ teamId }) {
      if (!installations.has(teamId)) throw new Error(`not installed in ${teamId}`);
      return installations.get(teamId);
    },
  },
  clientOptions: { slackApiUrl: `${world.url}/sandbox/api/`, retryConfig: { retries: 0 } },
  logLevel: LogLevel.ERROR,
});

app.message(/^ship (\w+)/, async ({ message, context, say }) => {
  await say({ text: `Shipping ${context.matches[1]} for <@${message.user}>`, thread_ts: message.ts });
  tell('message');
});

app.event('app_mention', async ({ event, client }) => {
  const button = { type: 'button', action_id: 'order', text: { type: 'plain_text', text: 'Order' }, value: event.user };
  const posted = await client.chat.postMessage({
    channel: event.channel, text: 'What shall it be?', blocks: [{ type: 'actions', block_id: 'choice', elements: [button] }],
  });
  tell('mention', { ts: posted.ts });
});

app.event('reaction_added', async ({ event, client }) => {
  await client.reactions.add({ channel: event.item.channel, timestamp: event.item.ts, name: `${event.reaction}_too` });
  tell('reaction', { user: event.user, author: event.item_user });
});

app.action('order', async ({ ack, action, body, client, respond }) => {
  await ack();
  const { view } = await client.views.open({
    trigger_id: body.trigger_id,
    view: {
      type: 'modal', callback_id: 'order', private_metadata: body.channel.id,
      title: { type: 'plain_text', text: 'Order' }, submit: { type: 'plain_text', text: 'Send' },
      blocks: [{
        type: 'input', block_id: 'what', label: { type: 'plain_text', text: 'What' }, element: { type: 'plain_text_input', action_id: 'text' },
      }],
    },
  });
  await respond({ text: `<@${action.value}> is choosing`, replace_original: true });
  tell('button', { view: view.id });
});

app.view('order', async ({ ack, body, view, client }) => {
  const what = view.state.values.what.text.value;
  if (what.length < 3) {
    await ack({ response_action: 'errors', errors: { what: 'Say a little more.' } });
    tell('refusal');
    return;
  }
  await ack();
  await client.chat.postMessage({ channel: view.private_metadata, markdown_text: `**${what}** for <@${body.user.id}>` });
  tell('modal');
});

app.error(async (error) => tell('error', { error: String(error.original ?? error), stack: error.stack }));

(async () => {
  await app.start({ fd: 3 });
  tell('start');
  // With the test that runs it the app ends.
  process.stdin.on('end', () => process.exit(0)).resume();
})();
