import { t } from "@lingui/core/macro";
import { Button, Loader } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { sentence } from "../../../api/client";
import { askModel, languageName, readersLanguage, translationQuery, useHasModel } from "../../../data/help";
import type { Message, Request } from "../../../data/requests";
import { useCommands } from "../../../frame/commands";
import { Html } from "../../../parts/Html";
import classes from "./Help.module.css";
import { showMessage } from "./answers";

/** Translates a message into the language of its reader, below the original. */
export function Translate({ message }: { message: Message }) {
  const may = useHasModel() && message.text !== "";
  return may ? <Translated message={message} /> : null;
}

function Translated({ message }: { message: Message }) {
  const client = useQueryClient();
  const query = translationQuery(message);
  const { data, error, isFetching, dataUpdatedAt } = useQuery(query);
  const [hiddenAt, setHiddenAt] = useState(0); // a translation that is asked for again is shown
  const run = () => askModel(client, query);
  if (isFetching)
    return (
      <div className={classes.translate} role="status">
        <Loader size={12} aria-hidden /> {t`Translating…`}
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => void client.cancelQueries({ queryKey: query.queryKey, exact: true })}>
          {t`Cancel`}
        </Button>
      </div>
    );
  if (error)
    return (
      <div className={classes.translate} role="alert">
        <span className={classes.failed}>
          {t`The message was not translated.`} {sentence(error)}
        </span>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={run}>
          {t`Try again`}
        </Button>
      </div>
    );
  if (!data)
    return (
      <div className={`${classes.translate} ${classes.ask}`}>
        <Button variant="subtle" color="gray" size="compact-xs" leftSection={<IconLanguage size={13} aria-hidden />} onClick={run}>
          {t`Translate`}
        </Button>
      </div>
    );
  const hidden = hiddenAt === dataUpdatedAt;
  const from = languageName(data.source_language);
  return (
    <>
      <div className={classes.translate}>
        <IconLanguage size={13} aria-hidden />
        <span>{from === null ? t`Translated by a model. It may be wrong.` : t`Translated from ${from} by a model. It may be wrong.`}</span>
        <Button variant="subtle" color="gray" size="compact-xs" aria-label={hidden ? t`Show translation` : t`Hide translation`} onClick={() => setHiddenAt(hidden ? 0 : dataUpdatedAt)}>
          {hidden ? t`Show` : t`Hide`}
        </Button>
      </div>
      {!hidden && (
        <div className={classes.translation} role="group" aria-label={t`Translation`} lang={data.language ?? readersLanguage()}>
          <Html html={data.html} />
        </div>
      )}
    </>
  );
}

/** The key that translates what the customer wrote last. */
export function useTranslateLast(request: Request) {
  const client = useQueryClient();
  const last = (request.messages ?? []).findLast((m) => !m.is_responder && !m.is_private && m.text !== "");
  const may = useHasModel() && last !== undefined;
  const run = () => {
    showMessage(last!.id);
    askModel(client, translationQuery(last!));
  };
  useCommands(may ? [{ id: "translate message", label: t`Translate the customer’s last message`, keys: "w t", group: t`Request`, run }] : []);
}
