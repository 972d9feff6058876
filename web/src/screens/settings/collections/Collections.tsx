import { t } from "@lingui/core/macro";
import { Button, Text } from "@mantine/core";
import { IconInbox, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { collectionsQuery } from "../../../data/collections";
import { useIsAdmin, useMe } from "../../../data/me";
import { Empty, Failure, Loading } from "../../../parts/states";
import { SettingsColumn } from "../Column";
import { Row, Rows } from "../Rows";
import settings from "../Settings.module.css";
import { MakeCollection } from "./MakeCollection";
import { defaultFor, kinds } from "./words";

/** The groups of requests, each with those who answer them. */
export function Collections() {
  const collections = useQuery(collectionsQuery);
  const isAdmin = useIsAdmin();
  const account = useMe()?.account;
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const make = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t`New collection`}
    </Button>
  );
  return (
    <SettingsColumn title={t`Collections`} about={t`A collection groups requests with the people who answer them. It sets where requests come from and who is notified.`} action={make}>
      {collections.isPending && <Loading shape="rows" rows={3} />}
      {collections.isError && <Failure error={collections.error} retry={() => void collections.refetch()} />}
      {collections.data?.length === 0 && (
        <Empty icon={IconInbox} title={t`No collections yet`} action={make}>
          {isAdmin ? t`Create one for the channels you share with customers.` : t`An admin can create one.`}
        </Empty>
      )}
      {collections.data && collections.data.length > 0 && (
        <Rows label={t`Collections`}>
          {[...collections.data]
            .sort((a, b) => a.id - b.id)
            .map((c) => (
              <Row
                key={c.id}
                action={
                  account &&
                  defaultFor(account, c.id) && (
                    <Text size="sm" c="dimmed">
                      {defaultFor(account, c.id)}
                    </Text>
                  )
                }
              >
                <Link to="/settings/collections/$id" params={{ id: String(c.id) }} className={settings.link}>
                  {c.name}
                </Link>
                <Text size="sm" c="dimmed">
                  {kinds()[c.kind].label}
                  {c.email_config && `, ${c.email_config.address}`}
                </Text>
              </Row>
            ))}
        </Rows>
      )}
      <MakeCollection opened={making} close={() => setMaking(false)} made={(c) => void navigate({ to: "/settings/collections/$id", params: { id: String(c.id) } })} />
    </SettingsColumn>
  );
}
