import { t } from "@lingui/core/macro";
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
  const schemeLabel = dark ? t`Light mode` : t`Dark mode`;
  const densityLabel = density === "compact" ? t`Comfortable rows` : t`Compact rows`;
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
      tellProblem(e, t`You are still signed in.`);
    }
  };
  useCommands([
    { id: "scheme", label: schemeLabel, group: t`Preferences`, run: switchScheme },
    { id: "density", label: densityLabel, group: t`Preferences`, run: switchDensity },
    ...(several ? [{ id: "accounts", label: t`Switch account`, group: t`Preferences`, run: switchAccount }] : []),
    { id: "sign-out", label: t`Sign out`, group: t`Preferences`, run: () => void leave() },
  ]);
  if (!me) return null;
  const { name } = me.member;
  return (
    <Menu position="right-end" width={220}>
      <Menu.Target>
        <UnstyledButton>
          <span className="visually-hidden">{t`${name}: account menu`}</span>
          <Avatar src={me.user?.avatar} name={name} color="initials" size={30} radius="xl" alt="" aria-hidden styles={{ placeholder: { color: "var(--text)" } }} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name}
          <Text size="xs" c="dimmed" truncate>
            {me.member.email}, {me.account.name}
          </Text>
        </Menu.Label>
        <Menu.Item leftSection={dark ? <IconSun size={16} /> : <IconMoon size={16} />} onClick={switchScheme}>
          {schemeLabel}
        </Menu.Item>
        <Menu.Item leftSection={<IconRowInsertTop size={16} />} onClick={switchDensity}>
          {densityLabel}
        </Menu.Item>
        <Menu.Item className="needs-keyboard" leftSection={<IconKeyboard size={16} />} rightSection={<Keys keys="?" />} onClick={showKeys}>
          {t`Keyboard shortcuts`}
        </Menu.Item>
        <Menu.Item leftSection={<IconBook size={16} />} component="a" href="/docs/" target="_blank">
          {t`API documentation`}
        </Menu.Item>
        <Menu.Divider />
        {several && (
          <Menu.Item leftSection={<IconArrowsExchange size={16} />} onClick={switchAccount}>
            {t`Switch account`}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          {t`Sign out`}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
