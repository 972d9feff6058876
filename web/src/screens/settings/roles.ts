import type { Role } from "../../data/me";

export const roles: { value: Role; label: string }[] = [
  { value: "admin", label: "Admin" },
  { value: "agent", label: "Agent" },
  { value: "viewer", label: "Viewer" },
];
