// What the app knows of the server's data: how much of it is kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { QueryObserver } from "@tanstack/react-query";
import { source } from "./source.mjs";

test("answers that nothing on the page uses are forgotten, those unused for longest first", async () => {
  const { queryClient } = await source("data/client.ts");
  const known = (n) => queryClient.getQueryData(["request", n]);
  const learn = (n) => queryClient.setQueryData(["request", n], n);
  const use = (n) => new QueryObserver(queryClient, { queryKey: ["request", n], enabled: false }).subscribe(() => {});
  try {
    for (let n = 1; n <= 3; n++) learn(n);
    const [stop] = [use(1), use(2)];
    for (let n = 4; n <= 201; n++) learn(n);
    assert.equal(known(3), 3, "199 are unused");
    learn(202);
    stop(); // 201 are
    assert.deepEqual([1, 2, 3, 4, 202].map(known), [1, 2, undefined, 4, 202]);
    for (let n = 1001; n <= 1300; n++) learn(n);
    assert.deepEqual([1, 2, 202, 1100, 1101, 1300].map(known), [undefined, 2, undefined, undefined, 1101, 1300]);
    assert.equal(queryClient.getQueryCache().getAll().length, 201);
  } finally {
    queryClient.clear();
  }
});
