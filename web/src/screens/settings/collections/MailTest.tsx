import { t } from "@lingui/core/macro";
import { Button, Group, Loader, Text } from "@mantine/core";
import { IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { type Collection, type EmailConfig, testMail } from "../../../data/collections";
import { Refused } from "../../../parts/states";
import classes from "./Mail.module.css";

const steps = () => [
  { step: "sent", doing: t`Sending…`, done: t`Sent.`, failed: t`Not sent.` },
  { step: "came_back", doing: t`Waiting for it to come back…`, done: t`It came back.`, failed: t`It did not come back.` },
];

/** Sends a mail to the collection's own address, and shows how far it comes. */
export function MailTest({ collection, config }: { collection: Collection; config: EmailConfig }) {
  const test = useMutation({ mutationFn: () => testMail(collection.id) });
  const found = test.data?.steps;
  const { address } = config;
  return (
    <div>
      <Group gap="sm">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {t`Send a test email`}
        </Button>
        <Text size="sm" c="dimmed">
          {t`It goes to ${address} and takes up to 30 seconds.`}
        </Text>
      </Group>
      <div role="status">
        {(test.isPending || found) && (
          <ol className={classes.steps}>
            {steps().map(({ step, doing, done, failed }) => {
              const of = found?.find((s) => s.step === step);
              return (
                <li key={step} data-ok={of?.ok}>
                  <span className={classes.sign}>
                    {test.isPending ? (
                      <Loader size={14} aria-hidden />
                    ) : of?.ok ? (
                      <IconCheck size={16} role="img" aria-label={t`Done`} />
                    ) : of ? (
                      <IconX size={16} role="img" aria-label={t`Failed`} />
                    ) : (
                      <IconMinus size={16} role="img" aria-label={t`Not tried`} />
                    )}
                  </span>
                  <span>
                    <b>{test.isPending ? doing : of?.ok ? done : failed}</b> {of?.detail}
                  </span>
                </li>
              );
            })}
          </ol>
        )}
        {test.data?.verified && <Text size="sm">{t`The address is verified. Replies are sent as ${address}.`}</Text>}
      </div>
      <Refused error={test.error} />
    </div>
  );
}
