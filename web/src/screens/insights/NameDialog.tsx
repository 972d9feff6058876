import { t } from "@lingui/core/macro";
import { Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMayWrite } from "../../data/me";
import { Dialog } from "../../parts/Dialog";
import { DialogForm } from "../../parts/DialogForm";

export type Named = { name: string; shared: boolean };

type Props = {
  opened: boolean;
  title: string;
  /** What it is called now; null for something new. */
  was: Named | null;
  send: (named: Named) => Promise<void>;
  done: (name: string) => void;
  close: () => void;
};

/** Gives an exploration or a dashboard a name, and shares it or not. */
export function NameDialog(props: Props) {
  return (
    <Dialog opened={props.opened} onClose={props.close} title={props.title}>
      {props.opened && <Form {...props} />}
    </Dialog>
  );
}

function Form({ was, send, done, close }: Props) {
  const mayShare = useMayWrite();
  const [name, setName] = useState(was?.name ?? "");
  const [shared, setShared] = useState(was?.shared ?? false);
  return (
    <DialogForm
      send={() => send({ name: name.trim(), shared })}
      done={() => {
        done(name.trim());
        close();
      }}
      close={close}
      yes={t`Save`}
      ready={name.trim() !== ""}
    >
      {(wrong) => (
        <>
          <TextInput label={t`Name`} data-autofocus required dir="auto" maxLength={200} value={name} onChange={(e) => setName(e.currentTarget.value)} error={wrong("name")} />
          {mayShare && (
            <Switch
              label={t`Share with everyone in the account`}
              description={t`Everyone sees numbers only for the requests they can see.`}
              checked={shared}
              onChange={(e) => setShared(e.currentTarget.checked)}
            />
          )}
        </>
      )}
    </DialogForm>
  );
}
