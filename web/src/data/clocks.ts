// The clocks of a request.
import { queryOptions } from "@tanstack/react-query";
import { type Schemas, api, ask } from "../api/client";

export type SlaReading = Schemas["SLAReading"];

export const slaQuery = (id: number) =>
  queryOptions({
    queryKey: ["sla", id],
    queryFn: async ({ signal }) => (await ask(api.GET("/v1/rest/requests/{id}/sla", { params: { path: { id } }, signal }))).sla,
  });
