import { plural, t } from "@lingui/core/macro";
import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useState } from "react";
import { sentence } from "../../../api/client";
import { nameAndAddress, readAddresses, sameAddress } from "../../../data/addresses";
import { type Participant, addParticipant, removeParticipant } from "../../../data/mail";
import type { Request } from "../../../data/requests";
import { didWithUndo } from "../../../data/undo";
import { useCommands } from "../../../frame/commands";
import { tellProblem } from "../../../tell";
import type { Letter } from "./letters";
import classes from "./Mail.module.css";

/** To and Cc of an answer by mail. Whoever takes part gets all later answers, too. */
export function Recipients({ request, letter }: { request: Request; letter: Letter }) {
  const client = useQueryClient();
  const add = (p: Participant) => addParticipant(client, request.id, p.email, p.name).catch((e: unknown) => tellProblem(e));
  const remove = (p: Participant) =>
    removeParticipant(client, request.id, p).then(
      () => {
        const { email } = p;
        didWithUndo(t`${email} no longer gets answers.`, () => void add(p));
      },
      (e: unknown) => tellProblem(e),
    );
  const person = (p: Participant) => <Person key={p.email} of={p} {...(p.role === "cc" && { remove: () => void remove(p) })} {...(p.status === "asked" && { letIn: () => void add(p) })} />;
  return (
    <div className={classes.recipients} role="group" aria-label={t`Recipients`}>
      <ul aria-label={t({ message: "To", context: "mail" })}>
        <li className={classes.name} aria-hidden>
          {t({ message: "To", context: "mail" })}
        </li>
        {letter.to.map(person)}
        {letter.to.length === 0 && <li className={classes.nobody}>{t`nobody`}</li>}
      </ul>
      {letter.cc.length > 0 && (
        <ul aria-label={t`Cc`}>
          <li className={classes.name} aria-hidden>
            {t`Cc`}
          </li>
          {letter.cc.map(person)}
        </ul>
      )}
      {letter.asked.length > 0 && (
        <ul aria-label={t`Gets no mail yet`}>
          <li className={classes.name} aria-hidden>
            {t`Gets no mail yet`}
          </li>
          {letter.asked.map(person)}
        </ul>
      )}
      <AddCc requestId={request.id} there={[...letter.to, ...letter.cc]} />
    </div>
  );
}

function Person({ of, remove, letIn }: { of: Participant; remove?: () => void; letIn?: () => void }) {
  const { email } = of;
  return (
    <li className={classes.person} data-asked={letIn ? true : undefined}>
      <span className={classes.address}>{nameAndAddress(of)}</span>
      {letIn && (
        <Button variant="light" size="compact-xs" onClick={letIn} aria-label={t`Let in ${email}`}>
          {t`Let in`}
        </Button>
      )}
      {remove && (
        <ActionIcon size={18} aria-label={t`Remove ${email}`} onClick={remove}>
          <IconX size={12} aria-hidden />
        </ActionIcon>
      )}
    </li>
  );
}

/** Adds people by their addresses; several can be pasted at once. */
function AddCc({ requestId, there }: { requestId: number; there: Participant[] }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const close = () => {
    setTyped(null);
    setProblem(null);
  };
  const commit = async (leaving: boolean) => {
    if (adding) return;
    const { given, wrong } = readAddresses(typed ?? "");
    const left = [...wrong];
    const names = wrong.map((address) => t`“${address}”`).join(", ");
    let why = wrong.length === 0 ? null : t`${plural({ count: wrong.length }, { one: `${names} is not an email address.`, other: `${names} are not email addresses.` })}`;
    setAdding(true);
    for (const g of given.filter((g) => !there.some((p) => sameAddress(p.email, g.email))))
      try {
        await addParticipant(client, requestId, g.email, g.name);
      } catch (error) {
        left.push(nameAndAddress(g));
        why = sentence(error);
      }
    setAdding(false);
    setTyped(leaving && left.length === 0 ? null : left.join(", "));
    setProblem(why);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Escape") {
      e.stopPropagation(); // the request stays open
      close();
    } else if (typed?.trim() && (e.key === "Enter" || (e.key === "," && typed.includes("@")))) {
      e.preventDefault();
      void commit(false);
    }
  };
  useCommands([{ id: "add cc", label: t`Add Cc to this reply`, group: t`Request`, run: () => setTyped((now) => now ?? "") }]);
  if (typed === null)
    return (
      <Button variant="subtle" color="gray" size="compact-xs" leftSection={<IconPlus size={12} aria-hidden />} onClick={() => setTyped("")}>
        {t`Add Cc`}
      </Button>
    );
  return (
    <TextInput
      className={classes.add!}
      size="xs"
      type="text"
      inputMode="email"
      autoComplete="off"
      autoFocus
      aria-label={t`Add to Cc`}
      placeholder={t`Address, then Enter`}
      value={typed}
      readOnly={adding}
      error={problem}
      onChange={(e) => {
        setTyped(e.currentTarget.value);
        setProblem(null);
      }}
      onKeyDown={onKeyDown}
      onBlur={() => (typed.trim() === "" ? close() : void commit(true))}
    />
  );
}
