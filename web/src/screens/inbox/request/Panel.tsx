import { t } from "@lingui/core/macro";
import { useMayWrite } from "../../../data/me";
import { type Request, useChangeRequest } from "../../../data/requests";
import { AiFields } from "./AiFields";
import { Clocks } from "./Clocks";
import { Contributors } from "./Contributors";
import { Family } from "./Family";
import { Fields } from "./Fields";
import { History } from "./History";
import { Properties } from "./Properties";
import classes from "./Panel.module.css";
import { Survey } from "./Survey";
import { Tags } from "./Tags";
import { Tickets } from "./Tickets";
import type { PartProps } from "./rows";

/** Everything that is known of a request, and can be changed in place. */
export function Panel({ request }: { request: Request }) {
  const { mutate } = useChangeRequest();
  const mayWrite = useMayWrite();
  const mayChange = mayWrite && request.state !== "closed";
  const props: PartProps = { request, mayChange, change: (change, done) => mutate({ id: request.id, change }, { onSuccess: () => done?.() }) };
  return (
    <aside className={classes.panel} aria-label={t`Properties`}>
      <Clocks request={request} />
      <Properties request={request} mayChange={mayChange} />
      <Tags {...props} />
      <Fields {...props} />
      <AiFields request={request} />
      <Tickets {...props} />
      <Family {...props} />
      <Contributors {...props} />
      <Survey request={request} mayWrite={mayWrite} />
      <History request={request} mayWrite={mayWrite} />
    </aside>
  );
}
