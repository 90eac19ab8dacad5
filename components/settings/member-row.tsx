"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ROLE_NAMES, toGivableRoles } from "@/components/settings/role-words";
import { useChange, useRights } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Mark } from "@/components/ui/person";
import { Select } from "@/components/ui/select";
import { toMessage } from "@/components/ui/to-message";
import { useNow } from "@/components/ui/use-browser";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";
import { THERE_SECONDS } from "@/lib/features/workspaces/limits";
import type { Member } from "@/lib/features/workspaces/schema";
import type { Role } from "@/lib/platform/access/roles";
import { formatAgo, formatDay, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 30_000;

type Asking = { what: "remove" } | { what: "role"; role: Role };

/** One member: role and removal if the reader may change them, else the reason. */
export function MemberRow({ member, isLastOwner }: { member: Member; isLastOwner: boolean }) {
  const { user, workspace } = useWorkspace();
  const { role: ownRole, isAdmin, isOwner } = useRights();
  const router = useRouter();
  const now = useNow(true, AGE_EVERY_MS);
  const [asking, setAsking] = useState<Asking | null>(null);
  const isSelf = member.userId === user.id;
  const name = member.name || member.email;
  const isOutOfReach = member.role === "owner" && !isOwner;
  const reason = toReason({ isLastOwner: isLastOwner && (isAdmin || isSelf), isOutOfReach: isOutOfReach && isAdmin });
  const mayChange = isAdmin && reason === null;
  const mayRemove = mayChange || (isSelf && !isLastOwner);

  const update = useChange(["workspace"], (role: Role) => workspaceApi.updateRole(workspace.id, member.userId, role));
  const remove = useChange(["workspace"], () => workspaceApi.removeMember(workspace.id, member.userId));
  const failure = update.error ?? remove.error;

  const changeRole = async (role: Role) => {
    try {
      await update.mutateAsync(role);
    } catch {
      return;
    }
    setAsking(null);
    announce(`${name}'s role changed to ${ROLE_NAMES[role]}`);
    // The user's rights decide what the frame shows, and the server renders that.
    if (isSelf) router.refresh();
  };
  const removeNow = async () => {
    try {
      await remove.mutateAsync(undefined);
    } catch {
      return;
    }
    if (isSelf) window.location.assign("/");
    else announce(`${name} removed`);
  };
  const close = () => {
    setAsking(null);
    update.reset();
    remove.reset();
  };
  const choose = (role: Role) => {
    if (role === member.role) return;
    if (isSelf) setAsking({ what: "role", role });
    else void changeRole(role);
  };
  const joined = new Date(member.joinedAt);
  const seen = member.lastSeenAt === null ? null : new Date(member.lastSeenAt);
  const roles = toGivableRoles(ownRole).map((value) => ({ value, label: ROLE_NAMES[value] }));

  return (
    <>
      <tr className={failure && asking === null ? "has-sub" : undefined}>
        <td className="member">
          <div className="who">
            <Mark id={member.userId} name={name} />
            <div className="grow">
              <div className="b5 trunc">
                {name}
                {isSelf && <span className="t3 you"> (you)</span>}
              </div>
              {member.name && <div className="xs t3 trunc">{member.email}</div>}
            </div>
          </div>
        </td>
        <td data-label="Role">
          {isAdmin ? (
            <div className="role-pick">
              <Select
                label={`Role of ${name}`}
                size="sm"
                value={member.role}
                isDisabled={!mayChange || update.isPending}
                options={mayChange ? roles : [{ value: member.role, label: ROLE_NAMES[member.role] }]}
                onChange={choose}
              />
            </div>
          ) : (
            <span className="t2">{ROLE_NAMES[member.role]}</span>
          )}
        </td>
        <td data-label="Joined" className="t2 opt" title={now === null ? undefined : formatStamp(joined)}>
          {now !== null && formatDay(joined)}
        </td>
        <td data-label="Last seen" className="t2" title={now === null || seen === null ? undefined : formatStamp(seen)}>
          {now !== null && (isSelf ? "now" : toSeen(seen, new Date(now)))}
        </td>
        <td className={reason === null ? "r" : "r wrap"}>
          {reason !== null && <span className="xs t3">{reason}</span>}
          {mayRemove && (
            <button
              type="button"
              className="btn ghost sm danger"
              aria-label={isSelf ? "Leave workspace" : `Remove ${name}`}
              onClick={() => setAsking({ what: "remove" })}
            >
              {isSelf ? "Leave" : "Remove"}
            </button>
          )}
        </td>
      </tr>
      {failure && asking === null && (
        <tr className="sub">
          <td colSpan={5}>
            <Notice kind="bad" role="alert">
              {toMessage(failure)}
            </Notice>
          </td>
        </tr>
      )}
      <Questions
        name={name}
        isSelf={isSelf}
        asking={asking}
        removal={{ isBusy: remove.isPending || remove.isSuccess, error: remove.error }}
        change={{ isBusy: update.isPending, error: update.error }}
        onRemove={() => void removeNow()}
        onChange={(role) => void changeRole(role)}
        onClose={close}
      />
    </>
  );
}

type Work = { isBusy: boolean; error: Error | null };
type QuestionsProps = {
  name: string;
  isSelf: boolean;
  /** The open question; null for none. */
  asking: Asking | null;
  removal: Work;
  change: Work;
  onRemove: () => void;
  onChange: (role: Role) => void;
  onClose: () => void;
};

/** Questions before a member is removed, and before users change their own role. */
function Questions({ name, isSelf, asking, removal, change, onRemove, onChange, onClose }: QuestionsProps) {
  const { workspace } = useWorkspace();
  return (
    <>
      <Confirm
        title={isSelf ? `Leave ${workspace.name}?` : `Remove ${name}?`}
        action={isSelf ? "Leave workspace" : "Remove member"}
        isOpen={asking?.what === "remove"}
        isBusy={removal.isBusy}
        failure={removal.error && toMessage(removal.error)}
        onConfirm={onRemove}
        onClose={onClose}
      >
        <p>
          {isSelf
            ? "You lose access now, and your API keys and invitations stop working. To return, you need a new invitation."
            : "They lose access now, and their API keys and invitations stop working. Their work stays."}
        </p>
      </Confirm>
      <Confirm
        title="Change your own role?"
        action={asking?.what === "role" ? `Become ${ROLE_NAMES[asking.role].toLowerCase()}` : "Change role"}
        isOpen={asking?.what === "role"}
        isBusy={change.isBusy}
        failure={change.error && toMessage(change.error)}
        onConfirm={() => asking?.what === "role" && onChange(asking.role)}
        onClose={onClose}
      >
        <p>You lose your current permissions now. Only another owner or admin can restore them.</p>
      </Confirm>
    </>
  );
}

function toSeen(seen: Date | null, now: Date): string {
  if (seen === null) return "Never";
  return now.getTime() - seen.getTime() < THERE_SECONDS * 1000 ? "now" : formatAgo(seen, now);
}

/** Returns why the member cannot be changed; null if they can, or if the page says so for all. */
function toReason({ isLastOwner, isOutOfReach }: { isLastOwner: boolean; isOutOfReach: boolean }): string | null {
  if (isOutOfReach) return "Only owners can change owners";
  return isLastOwner ? "A workspace needs an owner" : null;
}
