import { t } from "@lingui/core/macro";
import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconChevronUp, IconCircleCheck, IconLock, IconSend2 } from "@tabler/icons-react";
import type { State } from "../../../data/requests";
import { Keys, keyNames } from "../../../frame/commands";
import { stateLooks } from "../../../parts/request";
import { useOnOpen } from "../onOpen";

const with_: State[] = ["pending", "on_hold", "solved"];

/** Sends, perhaps with a new state of the request. A note's is another colour, and says so. */
export function SendButton({ note, disabled, send }: { note: boolean; disabled: boolean; send: (state?: State | null) => Promise<void> }) {
  const { next } = useOnOpen();
  const does = note ? t`Add note` : t`Send reply`;
  const colour = note ? { color: "yellow.4", autoContrast: true } : {};
  return (
    <Button.Group>
      <Button
        {...colour}
        disabled={disabled}
        onClick={() => void send()}
        leftSection={note ? <IconLock size={14} aria-hidden /> : <IconSend2 size={14} aria-hidden />}
        title={keyNames("mod+enter").join("")}
      >
        {does}
      </Button>
      <Menu position="top-end" width={300}>
        <Menu.Target>
          <ActionIcon
            {...colour}
            variant="filled"
            {...(!note && { color: "accent" })}
            size={30}
            disabled={disabled}
            aria-label={t`Send and set state`}
            style={{ borderStartStartRadius: 0, borderEndStartRadius: 0, marginInlineStart: 1 }}
          >
            <IconChevronUp size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => void send()} rightSection={<Keys keys="mod+enter" />}>
            {does}
          </Menu.Item>
          {with_.map((s) => {
            const { icon: Icon, label: state, colour: c } = stateLooks[s];
            return (
              <Menu.Item key={s} leftSection={<Icon size={14} color={c} aria-hidden />} onClick={() => void send(s)}>
                {note ? t`Add note and set to ${state}` : t`Send and set to ${state}`}
              </Menu.Item>
            );
          })}
          <Menu.Item
            leftSection={<IconCircleCheck size={14} aria-hidden />}
            onClick={() => {
              void send("solved");
              next();
            }}
          >
            {note ? t`Add note, solve and go to the next` : t`Send, solve and go to the next`}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Button.Group>
  );
}
