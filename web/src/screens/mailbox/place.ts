import type { AnswerKind, MailBox } from "../../data/mailbox";

/** The search parameters of the mailbox: whose it is, the open box and thread, and the mail that is being written. */
export type Place = { as?: string; box?: MailBox; thread?: string; write?: AnswerKind | "new"; mail?: string };
