// When people are at work.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";
import { queryClient } from "./client";
import { everyPage } from "./people";
import { recomputationQuery } from "./slaPolicies";

export type Schedule = Schemas["Schedule"];
export type Hours = Schedule["hours"]["monday"];
export type Holiday = Schedule["holidays"][number];
export type Weekday = keyof Schedule["hours"];

export const weekdays: Weekday[] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: () =>
    everyPage<Schedule>(async (next_cursor) => {
      const { schedules, response_metadata } = await ask(api.GET("/v1/rest/schedules", { params: { query: { limit: 100, sort_order: "asc", ...(next_cursor && { next_cursor }) } } }));
      return { items: schedules, next: response_metadata.next_cursor };
    }),
});

export async function makeSchedule(body: { name: string; time_zone: string; hours: Partial<Schedule["hours"]> }): Promise<Schedule> {
  const { schedule } = await ask(api.POST("/v1/rest/schedules", { body }));
  queryClient.setQueryData(schedulesQuery.queryKey, (all) => all && [...all, schedule]);
  return schedule;
}

export async function changeSchedule(id: number, body: { name?: string; time_zone?: string; hours?: Schedule["hours"]; holidays?: Holiday[] }): Promise<void> {
  const { schedule } = await ask(api.PATCH("/v1/rest/schedules/{id}", { params: { path: { id } }, body }));
  queryClient.setQueryData(schedulesQuery.queryKey, (all) => all?.map((s) => (s.id === id ? schedule : s)));
  void queryClient.invalidateQueries({ queryKey: recomputationQuery.queryKey });
}

export async function removeSchedule(id: number): Promise<void> {
  await ask(api.DELETE("/v1/rest/schedules/{id}", { params: { path: { id } } }));
  queryClient.setQueryData(schedulesQuery.queryKey, (all) => all?.filter((s) => s.id !== id));
}
