import { t } from "@lingui/core/macro";
import { Button, Divider, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { api, ask } from "../api/client";
import { doorQuery } from "../data/auth";
import { reconnect } from "../data/live";
import { type Me, meQuery } from "../data/me";
import { sendRefused } from "../data/messages";
import { setSignedOut, useSignedOut } from "../data/signedOut";
import { Dialog } from "../parts/Dialog";
import { tellProblem } from "../tell";
import { SignInForm } from "../parts/SignInForm";

// How often it looks whether somebody has signed in elsewhere, as with the provider in another window.
const lookTime = 3000;

/** Signs in again over the page that is open, which stays as it is. */
export function SignInAgain({ me }: { me: Me }) {
  const client = useQueryClient();
  const router = useRouter();
  const signedOut = useSignedOut();
  const door = useQuery({ ...doorQuery, enabled: signedOut, refetchInterval: lookTime, refetchOnWindowFocus: "always" }).data;

  const goOn = useCallback(async () => {
    try {
      const now = (await ask(api.GET("/v1/rest/me"))).me;
      // A fresh page keeps nothing of whoever was here before.
      if (now.account.id !== me.account.id || now.member.id !== me.member.id) return location.assign("/");
      setSignedOut(false);
      client.setQueryData(meQuery.queryKey, now);
      reconnect();
      void client.invalidateQueries({ predicate: (q) => q.queryKey[0] !== "me" });
      void router.invalidate(); // what a route asks for itself
      sendRefused(client);
    } catch (error) {
      tellProblem(error);
    }
  }, [client, router, me.account.id, me.member.id]);
  const elsewhere = signedOut && door?.signed_in === true;
  useEffect(() => {
    if (elsewhere) void goOn();
  }, [elsewhere, goOn]);

  const provider = door?.provider?.name;
  return (
    <Dialog opened={signedOut} onClose={() => {}} withCloseButton={false} closeOnClickOutside={false} closeOnEscape={false} title={t`Sign in again`} size="sm">
      <Stack>
        <Text size="sm">{t`Your session has ended. This page stays open, and what you wrote is saved.`}</Text>
        <SignInForm known={me.member.email} account={me.account.id} done={(choice) => (choice ? location.assign("/accounts") : void goOn())} />
        {provider && (
          <>
            <Divider label={t({ message: "or", context: "ways to sign in" })} />
            <Button component="a" href="/auth/provider" target="_blank" variant="default" size="sm">
              {t`Sign in with ${provider}`}
            </Button>
          </>
        )}
      </Stack>
    </Dialog>
  );
}
