import { t } from "@lingui/core/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { requestQuery } from "../../../data/requests";
import classes from "./Request.module.css";

/** What people call another request, and the way to it. Of one that the reader may not see, there is no key. */
export function RequestKey({ id }: { id: number }) {
  const { data, isPending } = useQuery(requestQuery(id));
  if (!data) return isPending ? "…" : t`another request`;
  return (
    <Link className={classes.otherKey} to="/requests/$id" params={{ id: data.key }} search>
      {data.key}
    </Link>
  );
}

/** Several of them, with commas. */
export function RequestKeys({ ids }: { ids: unknown }) {
  return (Array.isArray(ids) ? ids : [ids]).map((id, i) => (
    <span key={String(id)}>
      {i > 0 && ", "}
      <RequestKey id={Number(id)} />
    </span>
  ));
}
