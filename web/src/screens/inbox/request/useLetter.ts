import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { collectionsQuery } from "../../../data/collections";
import { type Participant, participantsQuery } from "../../../data/mail";
import { useMe } from "../../../data/me";
import type { Request } from "../../../data/requests";
import { type Letter, letterOf, mayBeByMail } from "./letters";

/** Who takes part in a request by mail; nobody while that is unknown, and in one that has nothing to do with mail. */
export function useParticipants(request: Request): Participant[] {
  const collection = useQuery(collectionsQuery).data?.find((c) => c.id === request.collection.id);
  const accountHasMail = useMe()?.account.email_collection_id != null;
  return useQuery({ ...participantsQuery(request.id), enabled: mayBeByMail(request, collection, accountHasMail) }).data ?? nobody;
}

// The same each time, so that what is drawn from it stays.
const nobody: Participant[] = [];

/** The mail that an answer in a request becomes; null if it becomes none. */
export function useLetter(request: Request): Letter | null {
  const me = useMe();
  const collections = useQuery(collectionsQuery).data;
  const participants = useParticipants(request);
  return useMemo(() => {
    if (!me || !collections || participants === nobody) return null;
    const collection = collections.find((c) => c.id === request.collection.id);
    const id = me.account.email_collection_id;
    const sender = collection?.email_config ? collection : id === null ? null : collections.find((c) => c.id === id);
    return letterOf({ request, collection, sender, participants, writer: me.member.email, sends: me.sends_mail });
  }, [me, collections, participants, request]);
}
