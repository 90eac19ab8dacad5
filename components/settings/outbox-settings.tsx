"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { useRouter, useSearchParams } from "next/navigation";
import { useWorkspace } from "@/components/layout/workspace-context";
import { MailState } from "@/components/settings/mail-state";
import { OutboxMail } from "@/components/settings/outbox-mail";
import { SettingsPage } from "@/components/settings/settings-page";
import { useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { useNow } from "@/components/ui/use-browser";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import type { OutboxEntry } from "@/lib/platform/mail/schema";

const HEADS = ["Subject", "To", "Status", "Created"];

const AGE_EVERY_MS = 30_000;

/** Mails of the workspace. The address names the open one. */
export function OutboxSettings() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const router = useRouter();
  const openId = useSearchParams().get("mail");
  const outbox = useInfiniteQuery({
    queryKey: ["outbox", workspace.id],
    queryFn: ({ pageParam, signal }) => workspaceApi.listOutbox(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: isAdmin,
  });
  const mails = outbox.data?.pages.flatMap(({ items }) => items) ?? [];
  const root = `/w/${workspace.slug}/settings/outbox`;
  const open = (id: string | null) => router.push(id === null ? root : `${root}?mail=${id}`, { scroll: false });

  if (!isAdmin) {
    return (
      <SettingsPage title="Outbox">
        <Notice kind="locked">Only owners and admins can read the outbox.</Notice>
      </SettingsPage>
    );
  }
  return (
    <SettingsPage title="Outbox">
      <p className="lead">Emails from the last 30 days. Without an email service, copy them from here.</p>
      {outbox.isPending && <ListSkeleton label="Loading outbox" rowPx={44} />}
      {outbox.isError && !outbox.data && <LoadFailure error={outbox.error} onRetry={() => outbox.refetch()} />}
      {outbox.isSuccess && mails.length === 0 && (
        <div className="empty blank">
          <span className="empty-mark">
            <Inbox />
          </span>
          <h2>No emails yet</h2>
          <p>Invitations and notifications appear here.</p>
        </div>
      )}
      {mails.length > 0 && (
        <ListTable label="Emails" className="outbox" columns={HEADS}>
          <tbody>
            {mails.map((mail) => (
              <MailRow key={mail.id} mail={mail} onOpen={() => open(mail.id)} />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={outbox} className="btn more" />
      <OutboxMail
        mail={mails.find(({ id }) => id === openId) ?? null}
        isMissing={openId !== null && outbox.isSuccess && !mails.some(({ id }) => id === openId)}
        onClose={() => open(null)}
      />
    </SettingsPage>
  );
}

function MailRow({ mail, onOpen }: { mail: OutboxEntry; onOpen: () => void }) {
  const now = useNow(true, AGE_EVERY_MS);
  const at = new Date(mail.createdAt);
  return (
    <tr>
      <td className="cut">
        <button type="button" className="row-link trunc" onClick={onOpen}>
          {mail.subject}
        </button>
      </td>
      <td className="t2 cut" data-label="To" title={mail.to.join(", ")}>
        {mail.to.join(", ")}
      </td>
      <td data-label="Status">
        <MailState status={mail.status} />
      </td>
      <td className="t2" data-label="Created" title={now === null ? undefined : formatStamp(at)}>
        {now !== null && formatAgo(at, new Date(now))}
      </td>
    </tr>
  );
}
