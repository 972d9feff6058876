// Texts by name, for constants.
import { type MessageDescriptor, i18n } from "@lingui/core";

/** A table of texts. Each is taken when it is read: while the code is loaded, the texts are not there yet. */
export function table<Name extends string>(texts: Record<Name, MessageDescriptor>): Readonly<Record<Name, string>> {
  const all = {};
  for (const [name, text] of Object.entries<MessageDescriptor>(texts)) Object.defineProperty(all, name, { enumerable: true, get: () => i18n._(text) });
  return all as Record<Name, string>;
}
