import { useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../../data/collections";
import { customersQuery } from "../../../data/customers";
import { schedulesQuery } from "../../../data/schedules";
import type { Names } from "./words";

/** What those are called whom policies name by id. */
export function useNames(): Names {
  const collections = useQuery(collectionsQuery).data;
  const customers = useQuery(customersQuery).data;
  const schedules = useQuery(schedulesQuery).data;
  return {
    // Who has not all collections may see a policy of another.
    collection: (id) => collections?.find((c) => c.id === id)?.name ?? (collections ? "another collection" : "…"),
    customer: (id) => customers?.find((c) => c.id === id)?.name ?? (customers ? "another customer" : "…"),
    schedule: (id) => schedules?.find((s) => s.id === id)?.name ?? "…",
  };
}
