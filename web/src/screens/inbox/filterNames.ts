// What filters and their values are called.
import { t } from "@lingui/core/macro";

/** Filters that are chosen from a list. */
export type ChosenFilter =
  "state" | "priority" | "assignee_id" | "team_id" | "customer_id" | "tag" | "collection_id" | "channel_id" | "sla" | "source" | "category" | "sentiment" | "emotion" | "custom_field";

/** In the order of the menu. */
export const choices = (): Record<ChosenFilter, string> => ({
  state: t`State`,
  priority: t`Priority`,
  assignee_id: t`Assignee`,
  team_id: t`Team`,
  customer_id: t`Customer`,
  tag: t`Tag`,
  collection_id: t`Collection`,
  channel_id: t`Channel`,
  sla: t`SLA`,
  source: t`Source`,
  category: t`Category`,
  sentiment: t`Sentiment`,
  emotion: t`Emotion`,
  custom_field: t`Custom field`,
});

type Names = Record<string, string>;

export const sources = (): Names => ({ chat: t`Chat`, email: t`Mail`, api: t`API`, import: t`Import` });

export const sentiments = (): Names => ({
  very_negative: t`Very negative`,
  negative: t`Negative`,
  neutral: t`Neutral`,
  positive: t`Positive`,
  very_positive: t`Very positive`,
});

export const emotions = (): Names => ({ negative: t`Negative`, neutral: t`Neutral`, positive: t`Positive` });

/** What is overdue, or due within so many minutes. */
export const dueTimes = (): Names => ({ breached: t`Overdue`, "60": t`Due within an hour`, "240": t`Due within 4 hours`, "1440": t`Due within a day` });
