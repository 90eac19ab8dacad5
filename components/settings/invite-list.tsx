"use client";

import { Mail } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ROLE_NAMES, toGivableRoles } from "@/components/settings/role-words";
import { useChange, useInvites, useMemberNames, useRights } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { useNow } from "@/components/ui/use-browser";
import type { CreatedInvite, Invite } from "@/lib/features/accounts/invites/schema";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { formatAgo, formatLeft, formatStamp } from "@/lib/platform/browser/format-time";

/** Interval at which the list updates how long its links still work. */
const AGE_EVERY_MS = 30_000;

type InviteListProps = { created: CreatedInvite[]; onRenewed: (invite: CreatedInvite) => void };

/** Open invitations. @param created those created on this page, whose links can still be copied */
export function InviteList({ created, onRenewed }: InviteListProps) {
  const invites = useInvites();
  const items = invites.data ?? [];
  return (
    <section className="part" aria-labelledby="waiting">
      <h2 id="waiting">Pending invitations</h2>
      {invites.isPending && <ListSkeleton label="Loading invitations" rows={1} rowPx={44} />}
      {invites.isError && !invites.data && <LoadFailure error={invites.error} onRetry={() => invites.refetch()} />}
      {invites.isSuccess && items.length === 0 && <p className="t2">No pending invitations.</p>}
      {items.length > 0 && (
        <table className="list fold" aria-label="Pending invitations">
          <thead className="sr-only">
            <tr>
              <th>Email</th>
              <th>Role</th>
              <th className="opt">Sent</th>
              <th>Expires</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {items.map((invite) => (
              <InviteRow
                key={invite.id}
                invite={invite}
                link={created.findLast(({ email }) => email === invite.email)?.link ?? null}
                onRenewed={onRenewed}
              />
            ))}
          </tbody>
        </table>
      )}
      <LoadMore pages={invites} label="Show more" className="btn more" />
    </section>
  );
}

type InviteRowProps = { invite: Invite; link: string | null; onRenewed: (invite: CreatedInvite) => void };

function InviteRow({ invite, link, onRenewed }: InviteRowProps) {
  const { workspace } = useWorkspace();
  const { role: ownRole } = useRights();
  const names = useMemberNames();
  const now = useNow(true, AGE_EVERY_MS);
  const [isAsking, setIsAsking] = useState(false);
  const { email, role } = invite;
  const renew = useChange(["invites"], () => workspaceApi.createInvite(workspace.id, { email, role }));
  const withdraw = useChange(["invites"], () => workspaceApi.removeInvite(workspace.id, invite.id));
  const sent = new Date(invite.createdAt);
  const ends = new Date(invite.expiresAt);
  const at = now === null ? null : new Date(now);
  const by = names.get(invite.invitedBy)?.split(/[\s@]/)[0];
  return (
    <>
      <tr className={renew.isError ? "has-sub" : undefined}>
        <td className="b5 wrap">{email}</td>
        <td className="t2" data-label="Role">
          {ROLE_NAMES[role]}
        </td>
        <td className="t2 opt" data-label="Sent" title={at ? formatStamp(sent) : undefined}>
          {at && `Sent${by === undefined ? "" : ` by ${by}`}, ${formatAgo(sent, at)}`}
        </td>
        <td className="t3" data-label="Expires" title={at ? formatStamp(ends) : undefined}>
          {at && `Expires in ${formatLeft(ends, at) ?? "a moment"}`}
        </td>
        <td className="r">
          {toGivableRoles(ownRole).includes(role) ? (
            <span className="acts">
              {link === null ? (
                <button
                  type="button"
                  className="btn ghost sm"
                  aria-label={`Resend the invitation to ${email}`}
                  title="The old link stops working"
                  disabled={renew.isPending}
                  onClick={() => renew.mutateAsync(undefined).then(onRenewed, () => undefined)}
                >
                  <Mail className="s" />
                  Resend
                </button>
              ) : (
                <CopyButton text={link} label="Copy link" name={`Copy link for ${email}`} className="btn ghost sm" />
              )}
              <button
                type="button"
                className="btn ghost sm danger"
                aria-label={`Revoke the invitation for ${email}`}
                onClick={() => setIsAsking(true)}
              >
                Revoke
              </button>
            </span>
          ) : (
            <span className="xs t3">Only owners can change owners</span>
          )}
        </td>
      </tr>
      {renew.isError && (
        <tr className="sub">
          <td colSpan={5}>
            <Notice kind="bad" role="alert">
              {toMessage(renew.error)}
            </Notice>
          </td>
        </tr>
      )}
      <Confirm
        title={`Revoke invitation for ${email}?`}
        action="Revoke invitation"
        isOpen={isAsking}
        isBusy={withdraw.isPending || withdraw.isSuccess}
        failure={withdraw.isError ? toMessage(withdraw.error) : null}
        onConfirm={() => withdraw.mutate(undefined)}
        onClose={() => {
          setIsAsking(false);
          withdraw.reset();
        }}
      >
        <p>The link stops working now. You can invite them again.</p>
      </Confirm>
    </>
  );
}
