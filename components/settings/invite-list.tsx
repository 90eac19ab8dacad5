"use client";

import { Mail } from "lucide-react";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ROLE_NAMES, toGivableRoles } from "@/components/settings/role-words";
import { ShowMore, useSlice } from "@/components/settings/show-more";
import { useChange, useInvites, useMemberNames, useRights } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { CopyButton } from "@/components/ui/copy-button";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { useNow } from "@/components/ui/use-browser";
import { type CreatedInvite, type Invite, workspaceApi } from "@/lib/features/workspaces/browser/client";
import { formatAgo, formatLeft, formatStamp } from "@/lib/platform/browser/format-time";

/** Interval at which the list updates how long its links still work. */
const AGE_EVERY_MS = 30_000;

type InviteListProps = { created: CreatedInvite[]; onRenewed: (invite: CreatedInvite) => void };

/** Open invitations. @param created those created on this page, whose links can still be copied */
export function InviteList({ created, onRenewed }: InviteListProps) {
  const invites = useInvites();
  const items = invites.data ?? [];
  const slice = useSlice(items);
  return (
    <section className="part" aria-labelledby="waiting">
      <h2 id="waiting">Invites waiting</h2>
      {invites.isPending && <ListSkeleton label="Reading the invitations" rows={1} rowPx={44} />}
      {invites.isError && !invites.data && <LoadFailure error={invites.error} onRetry={() => invites.refetch()} />}
      {invites.isSuccess && items.length === 0 && (
        <p className="t2">Nobody is invited at the moment. Enter an address above to send an invitation.</p>
      )}
      {items.length > 0 && (
        <table className="list fold" aria-label="Invites waiting">
          <thead className="sr-only">
            <tr>
              <th>Address</th>
              <th>Role</th>
              <th className="opt">Sent</th>
              <th>Ends</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {slice.shown.map((invite) => (
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
      <ShowMore slice={slice} />
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
        <td className="t3" data-label="Ends" title={at ? formatStamp(ends) : undefined}>
          {at && `Ends in ${formatLeft(ends, at) ?? "a moment"}`}
        </td>
        <td className="r">
          {toGivableRoles(ownRole).includes(role) ? (
            <span className="acts">
              {link === null ? (
                <button
                  type="button"
                  className="btn ghost sm"
                  aria-label={`Send ${email} a new link`}
                  title="The old link ends; the new one can be copied here"
                  disabled={renew.isPending}
                  onClick={() => renew.mutateAsync(undefined).then(onRenewed, () => undefined)}
                >
                  <Mail className="s" />
                  New link
                </button>
              ) : (
                <CopyButton
                  text={link}
                  label="Copy link"
                  name={`Copy the link for ${email}`}
                  className="btn ghost sm"
                />
              )}
              <button
                type="button"
                className="btn ghost sm danger"
                aria-label={`Withdraw the invitation of ${email}`}
                onClick={() => setIsAsking(true)}
              >
                Withdraw
              </button>
            </span>
          ) : (
            <span className="xs t3">Only an owner changes an owner</span>
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
        title={`Withdraw the invitation of ${email}?`}
        action="Withdraw invitation"
        isOpen={isAsking}
        isBusy={withdraw.isPending || withdraw.isSuccess}
        failure={withdraw.isError ? toMessage(withdraw.error) : null}
        onConfirm={() => withdraw.mutate(undefined)}
        onClose={() => {
          setIsAsking(false);
          withdraw.reset();
        }}
      >
        <p>Its link ends at once. You can invite them again later.</p>
      </Confirm>
    </>
  );
}
