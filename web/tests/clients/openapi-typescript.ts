// A program written against the types that openapi-typescript makes.
import createClient from "openapi-fetch";
import type { operations, paths } from "./generated/openapi-typescript.js";

/** The title of the request that an event of a webhook is about. */
export type CreatedEvent = operations["onRequestCreated"]["requestBody"]["content"]["application/json"];
export const titleOf = (event: CreatedEvent): string => event.data.request.title;

export function connect(url: string, token: string) {
  const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
  return {
    /** Makes a request with a file, and gives the request's id. */
    async upload(file: File): Promise<number> {
      const { data, error } = await client.POST("/v1/rest/requests", {
        body: { description: "See the file." },
        bodySerializer(body) {
          const form = new FormData();
          form.set("description", body.description);
          form.append("attachments", file);
          return form;
        },
      });
      if (!data) throw new Error(error.message);
      if (!("request" in data)) throw new Error("the flat answer of an API ticket");
      return Number(data.request.id);
    },

    /** The files of a request. */
    async files(id: number): Promise<{ name: string; text: string }[]> {
      const { data, error } = await client.GET("/v1/rest/requests/{id}", { params: { path: { id }, query: { include: ["messages"] } } });
      if (!data) throw new Error(error.message);
      const found = [];
      for (const { id, name } of (data.request.messages ?? []).flatMap((m) => m.attachments)) {
        const file = await client.GET("/v1/rest/attachments/{id}", { params: { path: { id } }, parseAs: "text" });
        found.push({ name, text: String(file.data) });
      }
      return found;
    },

    /** Why a query of insights was refused. */
    async refusal(): Promise<string> {
      const query = { measures: ["Requests.count"], time_dimensions: [{ dimension: "Requests.created_at" }] };
      const rows = await client.POST("/v1/rest/insights/query", { body: { query } });
      const file = await client.POST("/v1/rest/insights/query.csv", { body: { query }, parseAs: "text" });
      if (!rows.error || !file.error) throw new Error(`${rows.data?.insights.length} rows, ${file.data?.length} characters`);
      return `${rows.error.message} ${rows.response.status} ${file.response.status}`;
    },
  };
}
