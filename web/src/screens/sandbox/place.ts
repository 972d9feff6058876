/** The search parameters of the sandbox: the acting person, and the open channel and thread. */
export type Place = { as?: string; channel?: string; thread?: string };
