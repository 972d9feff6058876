// A program written against the client that @hey-api/openapi-ts makes.
import { createClient, formDataBodySerializer } from "./generated/hey-api/client/index.js";
import { createRequest, exportInsights, getAttachment, getRequest, queryInsights } from "./generated/hey-api/sdk.gen.js";
import type { NewRequestForm, OnRequestCreatedWebhookRequest } from "./generated/hey-api/types.gen.js";

/** The title of the request that an event of a webhook is about. */
export const titleOf = (event: OnRequestCreatedWebhookRequest["body"]): string => event.data.request.title;

export function connect(url: string, token: string) {
  const client = createClient({ baseUrl: url, auth: token });
  return {
    /** Makes a request with a file, and gives the request's id. */
    async upload(file: File): Promise<number> {
      const body: NewRequestForm = { description: "See the file.", attachments: [file] };
      // This generator has one kind of body for an operation, JSON where there is a choice. Its own serializer makes a form.
      const { data, error } = await createRequest({ client, body, ...formDataBodySerializer, headers: { "Content-Type": null } });
      if (!data) throw new Error(error?.message);
      if (!("request" in data)) throw new Error("the flat answer of an API ticket");
      return Number(data.request.id);
    },

    /** The files of a request. */
    async files(id: number): Promise<{ name: string; text: string }[]> {
      const { data, error } = await getRequest({ client, path: { id }, query: { include: ["messages"] } });
      if (!data) throw new Error(error?.message);
      const found = [];
      for (const { id, name } of (data.request.messages ?? []).flatMap((m) => m.attachments)) {
        const file = await getAttachment({ client, path: { id }, parseAs: "text" });
        found.push({ name, text: String(file.data) });
      }
      return found;
    },

    /** Why a query of insights was refused. */
    async refusal(): Promise<string> {
      const query = { measures: ["Requests.count"], time_dimensions: [{ dimension: "Requests.created_at" }] };
      const rows = await queryInsights({ client, body: { query } });
      const file = await exportInsights({ client, body: { query } });
      if (rows.data || file.data) throw new Error(`${rows.data?.insights.length} rows, ${file.data?.length} characters`);
      return `${rows.error?.message} ${rows.response?.status} ${file.response?.status}`;
    },
  };
}
