import { Avatar } from "@mantine/core";
import { useUser } from "../data/people";

/** Somebody's picture, or the letters of their name. */
export function Face({ id, name, size = 20 }: { id?: string | null | undefined; name?: string | undefined; size?: number }) {
  const user = useUser(id);
  return <Avatar src={user?.avatar} name={user?.name ?? name ?? "?"} color="initials" size={size} radius="xl" alt="" styles={{ placeholder: { color: "var(--text)" } }} />;
}
