import { Avatar, Menu, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconArrowsExchange, IconBook, IconKeyboard, IconLogout, IconMoon, IconRowInsertTop, IconSun } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { stopReads } from "../api/client";
import { accountsQuery, followAccount, signOut } from "../data/auth";
import { disconnect, reconnect } from "../data/live";
import { useMe } from "../data/me";
import { prefer, usePreferences } from "../data/preferences";
import { tellProblem } from "../tell";
import { Keys, useCommands } from "./commands";

/** Who is here, how they like it, and the way out. */
export function PersonMenu({ showKeys }: { showKeys: () => void }) {
  const me = useMe();
  const client = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { density } = usePreferences();
  const several = (useQuery({ ...accountsQuery, enabled: me?.session != null }).data?.length ?? 0) > 1;
  useEffect(followAccount, []);
  const switchAccount = () => location.assign("/accounts");
  const dark = colorScheme === "dark" || (colorScheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const switchScheme = () => setColorScheme(dark ? "light" : "dark");
  const switchDensity = () => prefer({ density: density === "compact" ? "comfortable" : "compact" });
  const leave = async () => {
    // What is being read would be refused when the session is over.
    await client.cancelQueries();
    const resume = stopReads();
    disconnect();
    try {
      await signOut();
      location.assign("/sign-in"); // a fresh page keeps nothing of whoever was here
    } catch (e) {
      resume();
      reconnect();
      tellProblem(e, "You are still signed in.");
    }
  };
  useCommands([
    { id: "scheme", label: dark ? "Light mode" : "Dark mode", group: "Preferences", run: switchScheme },
    { id: "density", label: density === "compact" ? "Comfortable rows" : "Compact rows", group: "Preferences", run: switchDensity },
    ...(several ? [{ id: "accounts", label: "Switch account", group: "Preferences", run: switchAccount }] : []),
    { id: "sign-out", label: "Sign out", group: "Preferences", run: () => void leave() },
  ]);
  if (!me) return null;
  return (
    <Menu position="right-end" width={220}>
      <Menu.Target>
        <UnstyledButton>
          <span className="visually-hidden">{me.member.name}: account menu</span>
          <Avatar src={me.user?.avatar} name={me.member.name} color="initials" size={30} radius="xl" alt="" aria-hidden styles={{ placeholder: { color: "var(--text)" } }} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.member.name}
          <Text size="xs" c="dimmed" truncate>
            {me.member.email}, {me.account.name}
          </Text>
        </Menu.Label>
        <Menu.Item leftSection={dark ? <IconSun size={16} /> : <IconMoon size={16} />} onClick={switchScheme}>
          {dark ? "Light mode" : "Dark mode"}
        </Menu.Item>
        <Menu.Item leftSection={<IconRowInsertTop size={16} />} onClick={switchDensity}>
          {density === "compact" ? "Comfortable rows" : "Compact rows"}
        </Menu.Item>
        <Menu.Item className="needs-keyboard" leftSection={<IconKeyboard size={16} />} rightSection={<Keys keys="?" />} onClick={showKeys}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item leftSection={<IconBook size={16} />} component="a" href="/docs/" target="_blank">
          API documentation
        </Menu.Item>
        <Menu.Divider />
        {several && (
          <Menu.Item leftSection={<IconArrowsExchange size={16} />} onClick={switchAccount}>
            Switch account
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
