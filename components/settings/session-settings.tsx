"use client";

import { Monitor, Smartphone } from "lucide-react";
import { useState } from "react";
import { signOut } from "@/components/layout/sign-out";
import { SettingsPage } from "@/components/settings/settings-page";
import { useChange, useSessions } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { useNow } from "@/components/ui/use-browser";
import { toCount } from "@/components/ui/use-pages";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { describeUserAgent } from "@/lib/features/accounts/browser/user-agent";
import type { Session } from "@/lib/features/accounts/schema";
import { formatAgo, formatDay, formatStamp } from "@/lib/platform/browser/format-time";

const HEADS = ["Device", "IP address", "Signed in", "Expires if idle", ACTIONS];

const AGE_EVERY_MS = 30_000;
/** Prefix of an IPv4 address on a server that listens on both families. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** Lists the user's sessions and ends them. */
export function SessionSettings() {
  const sessions = useSessions();
  const [isAsking, setIsAsking] = useState(false);
  const items = [...(sessions.data ?? [])].sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
  const others = items.filter(({ isCurrent }) => !isCurrent);
  const endOthers = useChange(["sessions"], () => accountApi.endOtherSessions());
  const confirm = () =>
    endOthers.mutateAsync(undefined).then(
      () => {
        setIsAsking(false);
        announce("Other sessions ended");
      },
      () => undefined,
    );
  const actions = others.length > 0 && (
    <button type="button" className="btn danger" onClick={() => setIsAsking(true)}>
      End other sessions
    </button>
  );
  return (
    <SettingsPage title="Sessions" count={toCount(sessions)} actions={actions}>
      <p className="lead">Devices signed in to your account. End any you don't recognise, then change your password.</p>
      {sessions.isPending && <ListSkeleton label="Loading sessions" rows={2} />}
      {sessions.isError && !sessions.data && <LoadFailure error={sessions.error} onRetry={() => sessions.refetch()} />}
      {items.length > 0 && (
        <ListTable label="Sessions" isTall columns={HEADS}>
          <tbody>
            {items.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={sessions} label="Show more" className="btn more" />
      <Confirm
        title={`End ${others.length === 1 ? "the other session" : `${sessions.hasNextPage ? "all" : others.length} other sessions`}?`}
        action="End sessions"
        isOpen={isAsking}
        isBusy={endOthers.isPending}
        failure={endOthers.isError ? toMessage(endOthers.error) : null}
        onConfirm={confirm}
        onClose={() => {
          setIsAsking(false);
          endOthers.reset();
        }}
      >
        <p>You will be signed out on those devices. Unsaved work there is lost.</p>
      </Confirm>
    </SettingsPage>
  );
}

function SessionRow({ session }: { session: Session }) {
  const now = useNow(true, AGE_EVERY_MS);
  const end = useChange(["sessions"], () => accountApi.endSession(session.id));
  const { name, isHandheld } = describeUserAgent(session.userAgent);
  const began = new Date(session.createdAt);
  const ends = new Date(session.expiresAt);
  return (
    <>
      <tr className={end.isError ? "has-sub" : undefined}>
        <td>
          <div className="who" title={session.userAgent ?? undefined}>
            <span className="type-mark">{isHandheld ? <Smartphone /> : <Monitor />}</span>
            <span className="b5">{name}</span>
            {session.isCurrent && <span className="tag here">This device</span>}
          </div>
        </td>
        <td className="mono t2" data-label="IP address">
          {session.address?.replace(MAPPED, "") ?? "unknown"}
        </td>
        <td className="t2" data-label="Signed in" title={now === null ? undefined : formatStamp(began)}>
          {now !== null && formatAgo(began, new Date(now))}
        </td>
        <td className="t2" data-label="Expires if idle" title={now === null ? undefined : formatStamp(ends)}>
          {now !== null && formatDay(ends)}
        </td>
        <td className="r">
          {session.isCurrent ? (
            <button type="button" className="btn ghost sm" onClick={signOut}>
              Sign out
            </button>
          ) : (
            <button
              type="button"
              className="btn ghost sm danger"
              aria-label={`End session on ${name}`}
              disabled={end.isPending}
              onClick={() => end.mutate(undefined)}
            >
              {end.isPending ? "Ending" : "End"}
            </button>
          )}
        </td>
      </tr>
      {end.isError && (
        <tr className="sub">
          <td colSpan={5}>
            <Notice kind="bad" role="alert">
              {toMessage(end.error)}
            </Notice>
          </td>
        </tr>
      )}
    </>
  );
}
