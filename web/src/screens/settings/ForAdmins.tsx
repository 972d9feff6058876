import { t } from "@lingui/core/macro";
import { IconLock } from "@tabler/icons-react";
import { Empty } from "../../parts/states";

/** Shown instead of a page that only admins may use. */
export function ForAdmins() {
  return (
    <Empty icon={IconLock} title={t`This page is for admins`}>
      {t`Ask an admin if something here needs to change.`}
    </Empty>
  );
}
