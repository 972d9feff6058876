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
  keep((await ask(api.PATCH("/v1/rest/account", { body: change }))).account);
}

follow((events) => {
  const last = events.findLast((e) => e.type === "account.updated");
  if (last) keep(last.data.account);
});
