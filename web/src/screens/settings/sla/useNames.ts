import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { collectionsQuery } from "../../../data/collections";
import { customersQuery } from "../../../data/customers";
import { schedulesQuery } from "../../../data/schedules";
import type { Names } from "./words";

/** The names of the collections, customers and schedules that policies refer to by id. */
export function useNames(): Names {
  const collections = useQuery(collectionsQuery).data;
  const customers = useQuery(customersQuery).data;
  const schedules = useQuery(schedulesQuery).data;
  return {
    // Members limited to some collections may still see policies of others.
    collection: (id) => collections?.find((c) => c.id === id)?.name ?? (collections ? t({ message: "another collection", context: "SLA of" }) : "…"),
    customer: (id) => customers?.find((c) => c.id === id)?.name ?? (customers ? t`another customer` : "…"),
    schedule: (id) => schedules?.find((s) => s.id === id)?.name ?? "…",
  };
}
