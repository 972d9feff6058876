// The sandbox's own API, which is Slack's, called as the person one acts as. It
// is another server's API than ours, hence the plain fetch.
import { type MessageDescriptor, i18n } from "@lingui/core";
import { msg, t } from "@lingui/core/macro";
import { Problem, offline } from "../api/client";

export type SlackText = { type: "plain_text" | "mrkdwn"; text: string };
export type SlackOption = { text: SlackText; value: string };

/** A button, a menu or an input. */
export type SlackElement = {
  type: string;
  action_id?: string;
  text?: SlackText | string;
  value?: string;
  style?: "primary" | "danger";
  url?: string;
  placeholder?: SlackText;
  multiline?: boolean;
  options?: SlackOption[];
  initial_value?: string;
  initial_option?: SlackOption;
  initial_options?: SlackOption[];
  initial_user?: string;
  initial_users?: string[];
  initial_channel?: string;
  initial_conversation?: string;
  initial_date?: string;
  initial_time?: string;
  image_url?: string;
  alt_text?: string;
};

export type SlackBlock = {
  type: string;
  block_id: string;
  text?: SlackText;
  fields?: SlackText[];
  elements?: SlackElement[];
  accessory?: SlackElement;
  // Of an input.
  label?: SlackText;
  hint?: SlackText;
  element?: SlackElement;
  optional?: boolean;
  // Of a picture.
  alt_text?: string;
};

/** A deleted file has nothing but its id and the mode tombstone. */
export type DeletedFile = { id: string; mode: "tombstone" };
export type SlackFile = { id: string; mode: "hosted"; name: string; title: string; mimetype: string; size: number; url_private: string; url_private_download: string };
export type SlackReaction = { name: string; users: string[]; count: number };

export type SlackMessage = {
  ts: string;
  subtype?: string;
  user?: string;
  bot_id?: string;
  bot_profile?: { name: string };
  username?: string;
  icons?: { image_72?: string };
  text: string;
  thread_ts?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  edited?: { ts: string };
  reactions?: SlackReaction[];
  files?: (SlackFile | DeletedFile)[];
  blocks?: SlackBlock[];
  attachments?: { color?: string; fallback?: string; text?: string; blocks?: SlackBlock[] }[];
  /** Only the person sees it: set here, since such messages come from another call. */
  ephemeral?: boolean;
};

export type SlackChannel = {
  id: string;
  name?: string;
  is_im: boolean;
  is_mpim: boolean;
  is_private: boolean;
  is_archived: boolean;
  is_general: boolean;
  is_member: boolean;
  user?: string;
  num_members?: number;
};
export type SlackUser = { id: string; name: string; real_name?: string; deleted?: boolean; is_bot?: boolean; profile: { real_name?: string; image_72?: string; email?: string; title?: string } };
export type SlackView = { id: string; title: SlackText; submit: SlackText | null; close: SlackText | null; blocks: SlackBlock[] };

/** What the stream says to look at again. */
export type SlackChange = { type: "hello" | "message" | "channel" | "user" | "ephemeral" | "view"; channel?: string; ts?: string; thread_ts?: string };

// What people can bring about by themselves; the rest is told by its name.
const sentences: Record<string, MessageDescriptor> = {
  not_in_channel: msg`You are not in this channel. Join it first.`,
  is_archived: msg`This channel is archived.`,
  channel_not_found: msg`This channel does not exist, or this person cannot see it.`,
  name_taken: msg`A channel with this name already exists.`,
  invalid_name_specials: msg`Channel names can have lowercase letters, digits, hyphens and underscores.`,
  invalid_name_punctuation: msg`Channel names can have lowercase letters, digits, hyphens and underscores.`,
  message_not_found: msg`This message was deleted.`,
  thread_not_found: msg`This thread was deleted.`,
  cant_update_message: msg`Only its author can edit a message.`,
  cant_delete_message: msg`Only its author can delete a message.`,
  msg_too_long: msg`The message is too long.`,
  too_many_emoji: msg`This message has the maximum number of different reactions.`,
  file_upload_size_restricted: msg`This file is too large.`,
  app_unreachable: msg`Frontdesk did not accept this.`,
  no_such_element: msg`This button is no longer available.`,
  cannot_reply_to_message: msg`You cannot reply to this message in a thread.`,
};

/** The sandbox, as one of its people. */
export class Slack {
  constructor(
    readonly me: string,
    private readonly token: string,
  ) {}

  /** Calls a method of the Web API. */
  call<T = unknown>(method: string, args: Record<string, string> = {}): Promise<T> {
    return this.send(`/sandbox/api/${method}`, new URLSearchParams(args));
  }

  /** Does what Slack's API has no method for. */
  act<T = unknown>(name: string, what: Record<string, unknown> = {}): Promise<T> {
    return this.send(`/sandbox/act/${name}`, JSON.stringify(what), "application/json");
  }

  /** Puts files into a channel or a thread, as one message with what is said to them. */
  async upload(files: File[], channel: string, thread: string | undefined, comment: string) {
    const done: { id: string; title: string }[] = [];
    for (const file of files) {
      const place = await this.call<{ upload_url: string; file_id: string }>("files.getUploadURLExternal", { filename: file.name, length: String(file.size) });
      const response = await this.fetch(new URL(place.upload_url).pathname, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
      if (!response.ok) throw new Problem(await response.text(), response.status);
      done.push({ id: place.file_id, title: file.name });
    }
    await this.call("files.completeUploadExternal", {
      files: JSON.stringify(done),
      channel_id: channel,
      ...(thread && { thread_ts: thread }),
      ...(comment && { initial_comment: comment }),
    });
  }

  /** The bytes of a file: its address asks for the token, which a link does not have. */
  async download(file: SlackFile): Promise<Blob> {
    const response = await this.fetch(new URL(file.url_private).pathname, { headers: { Authorization: `Bearer ${this.token}` }, redirect: "error" });
    if (!response.ok) throw new Problem(t`This file was deleted.`, response.status);
    return await response.blob();
  }

  /** Tells of changes until it is stopped or the stream ends. */
  async listen(tell: (change: SlackChange) => void, signal: AbortSignal): Promise<void> {
    const response = await this.fetch("/sandbox/stream", { headers: { Authorization: `Bearer ${this.token}` }, signal });
    if (!response.ok || !response.body) throw new Problem(t`The sandbox is not sending updates.`, response.status);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      const pieces = (rest + value).split("\n\n");
      rest = pieces.pop() ?? "";
      for (const piece of pieces) if (piece.startsWith("data: ")) tell(JSON.parse(piece.slice(6)) as SlackChange);
    }
  }

  private async send<T>(path: string, body: URLSearchParams | string, kind?: string): Promise<T> {
    const response = await this.fetch(path, { method: "POST", headers: { Authorization: `Bearer ${this.token}`, ...(kind && { "Content-Type": kind }) }, body });
    const said = (await response.json().catch(() => null)) as { ok: boolean; error?: string } | null;
    if (said?.ok) return said as T;
    const code = said?.error ?? "";
    const known = sentences[code];
    const name = code.replaceAll("_", " ");
    throw new Problem(known ? i18n._(known) : name ? t`The sandbox refused this (${name}).` : t`The sandbox refused this.`, response.status, { code });
  }

  private async fetch(path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(path, init);
    } catch (cause) {
      throw offline(cause);
    }
  }
}

/** The name of a refusal of the sandbox, as in "name_taken". */
export function refusal(error: unknown): string {
  return error instanceof Problem ? (error.fields.code ?? "") : "";
}
