import { t } from "@lingui/core/macro";
import type { Role } from "../../data/me";

export const roles = (): { value: Role; label: string }[] => [
  { value: "admin", label: t`Admin` },
  { value: "agent", label: t`Agent` },
  { value: "viewer", label: t`Viewer` },
];
