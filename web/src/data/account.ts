// The account and its settings. It is part of the answer to /me, so this file has no query.
import type { Schemas } from "../api/client";
import { api, ask } from "../api/client";
import { queryClient } from "./client";
import { follow } from "./live";
import { meQuery } from "./me";

export type Account = Schemas["Account"];

function keep(account: Account) {
  queryClient.setQueryData(meQuery.queryKey, (me) => me && { ...me, account });
}

export async function changeAccount(change: Schemas["AccountChange"]): Promise<void> {
  const { account } = await ask(api.PATCH("/v1/rest/account", { body: change }));
  await queryClient.cancelQueries({ queryKey: meQuery.queryKey }); // its answer may be from before
  keep(account);
}

// An event may come after the answer to a later change, so it says only that something is different.
follow((events) => {
  if (events.some((e) => e.type === "account.updated")) void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
});
