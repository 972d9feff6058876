// SLA policies, and the progress of a recalculation after a change.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";

export type SLAPolicy = Schemas["SLAPolicy"];
export type SLAKind = SLAPolicy["kind"];
export type Recompute = Schemas["Recompute"];
export type GivenPolicy = Pick<SLAPolicy, "name" | "kind" | "collection_id" | "conditions" | "schedule_id"> & { target_minutes?: number; max_replies?: number; recompute?: Recompute };

/** In the order in which they are tried. */
export const policiesQuery = queryOptions({
  queryKey: ["sla-policies"],
  queryFn: async () => {
    const all = await everyPage<SLAPolicy>(async (next_cursor) => {
      const { sla_policies, response_metadata } = await ask(api.GET("/v1/rest/sla-policies", { params: { query: { limit: 100, ...(next_cursor && { next_cursor }) } } }));
      return { items: sla_policies, next: response_metadata.next_cursor };
    });
    return all.sort((a, b) => a.position - b.position || a.id - b.id);
  },
});

const pace = 1000;

/** There is no event for its progress, so it is polled while one runs. */
export const recomputationQuery = queryOptions({
  queryKey: ["sla-recomputation"],
  queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/sla-recomputation", { signal }))).sla_recomputation,
  refetchInterval: (query) => (query.state.data?.status === "running" ? pace : false),
  staleTime: 0,
});

async function readAgain() {
  void queryClient.invalidateQueries({ queryKey: recomputationQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: policiesQuery.queryKey });
}

export async function makePolicy(body: GivenPolicy): Promise<void> {
  await ask(api.POST("/v1/rest/sla-policies", { body }));
  await readAgain();
}

export async function changePolicy(id: number, body: Partial<GivenPolicy> & { enabled?: boolean; position?: number }): Promise<void> {
  await ask(api.PATCH("/v1/rest/sla-policies/{id}", { params: { path: { id } }, body }));
  await readAgain();
}

/** Gives those of a kind this order. Only those that move are changed. */
export async function orderPolicies(wanted: SLAPolicy[]): Promise<void> {
  const places = wanted.map((p) => p.position).sort((a, b) => a - b);
  // Two at the same place could not change places.
  const distinct = places.every((p, i) => i === 0 || p > (places[i - 1] ?? 0)) ? places : places.map((_, i) => i + 1);
  queryClient.setQueryData(policiesQuery.queryKey, (all) =>
    all?.map((p) => ({ ...p, position: distinct[wanted.findIndex((w) => w.id === p.id)] ?? p.position })).sort((a, b) => a.position - b.position || a.id - b.id),
  );
  try {
    for (const [i, p] of wanted.entries()) {
      const position = distinct[i];
      if (position !== undefined && position !== p.position) await ask(api.PATCH("/v1/rest/sla-policies/{id}", { params: { path: { id: p.id } }, body: { position } }));
    }
  } finally {
    await readAgain();
  }
}

export async function removePolicy(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/sla-policies/{id}", { params: { path: { id } } }));
  await readAgain();
}
