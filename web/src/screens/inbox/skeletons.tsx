// The shapes of the list and of a request, for the moment before they are there.
import { Skeleton } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { usePreferences } from "../../data/preferences";
import { listedRequest } from "../../data/requests";
import { Waiting } from "../../parts/states";
import { heights } from "./Row";
import classes from "./skeletons.module.css";

const rows = 10;

export function ListSkeleton() {
  const { density } = usePreferences();
  const compact = density === "compact";
  return (
    <Waiting className={classes.list}>
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className={classes.row} style={{ height: heights[density] }}>
          {!compact && <Skeleton height={28} width={28} radius={6} className={classes.face!} />}
          <div className={classes.text}>
            <Skeleton height={12} width={`${88 - ((i * 17) % 30)}%`} />
            {!compact && <Skeleton height={10} width={`${52 - ((i * 11) % 20)}%`} />}
            {!compact && <Skeleton height={10} width={`${78 - ((i * 23) % 34)}%`} />}
          </div>
        </div>
      ))}
    </Waiting>
  );
}

/** A request whose title may be known from the list. Without an id, even which one it is has to be asked. */
export function RequestSkeleton({ id }: { id: number | null }) {
  const client = useQueryClient();
  const known = id === null ? undefined : listedRequest(client, id);
  return (
    <div className={classes.request}>
      <div className={classes.head}>
        {known ? (
          <p className={classes.title}>
            <span className={classes.key}>{known.key}</span>{" "}
            <span className={classes.name} dir="auto">
              {known.title}
            </span>
          </p>
        ) : (
          <Waiting>
            <Skeleton height={16} width={280} maw="70%" />
          </Waiting>
        )}
      </div>
      <Waiting className={classes.messages}>
        {[64, 40, 82].map((wide, i) => (
          <div key={wide} className={classes.message}>
            <Skeleton height={24} width={24} circle />
            <div className={classes.said}>
              <Skeleton height={12} width={120} />
              <Skeleton height={12} width={`${wide}%`} />
              {i !== 1 && <Skeleton height={12} width={`${wide - 22}%`} />}
            </div>
          </div>
        ))}
      </Waiting>
    </div>
  );
}

/** The properties, which stand beside the conversation from the beginning. */
export function PanelSkeleton() {
  return (
    <Waiting className={classes.panel}>
      {[70, 46, 58, 40, 64, 52].map((wide) => (
        <div key={wide} className={classes.property}>
          <Skeleton height={12} width={64} />
          <Skeleton height={12} width={`${wide}%`} />
        </div>
      ))}
    </Waiting>
  );
}
