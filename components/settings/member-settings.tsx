"use client";

import { Search } from "lucide-react";
import { useState } from "react";
import { InviteForm } from "@/components/settings/invite-form";
import { InviteList } from "@/components/settings/invite-list";
import { MemberRow } from "@/components/settings/member-row";
import { ROLE_MEANINGS, ROLE_NAMES } from "@/components/settings/role-words";
import { SettingsPage } from "@/components/settings/settings-page";
import { useMembers, useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ACTIONS, ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { toCount } from "@/components/ui/use-pages";
import type { CreatedInvite } from "@/lib/features/accounts/invites/schema";
import type { Member } from "@/lib/features/workspaces/schema";

const HEADS = ["Member", "Role", { name: "Joined", isOptional: true }, "Last seen", ACTIONS];

/** Number of members from which the list has a search. */
const SEARCH_FROM = 8;

/** Members of the workspace with their roles, and its invitations. */
export function MemberSettings() {
  const pages = useMembers(true);
  const { isAdmin } = useRights();
  const [search, setSearch] = useState("");
  /** The links are known only here, and only until the page is left. */
  const [created, setCreated] = useState<CreatedInvite[]>([]);
  const members = pages.data ?? [];
  const shown = members.filter((member) => isLike(member, search));
  /** Known only once all members are loaded; the server refuses to remove the last owner anyway. */
  const isOneOwner = !pages.hasNextPage && members.filter(({ role }) => role === "owner").length === 1;

  return (
    <SettingsPage title="Members" count={toCount(pages)}>
      {isAdmin ? (
        <InviteForm
          members={members}
          onCreated={(invite) =>
            setCreated((before) => [...before.filter(({ email }) => email !== invite.email), invite])
          }
        />
      ) : (
        <Notice kind="locked">Only owners and admins can invite members and change roles.</Notice>
      )}
      {pages.isPending && <ListSkeleton label="Loading members" />}
      {pages.isError && !pages.data && <LoadFailure error={pages.error} onRetry={() => pages.refetch()} />}
      {members.length >= SEARCH_FROM && (
        <div className="input quiet sm people-search">
          <Search className="s t3" />
          <input
            aria-label="Search members"
            placeholder="Search members"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
      )}
      {members.length > 0 && (
        <ListTable label="Members" isTall columns={HEADS}>
          <tbody>
            {shown.map((member) => (
              <MemberRow key={member.userId} member={member} isLastOwner={member.role === "owner" && isOneOwner} />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={pages} label="Show more" className="btn more" />
      {members.length > 0 && shown.length === 0 && (
        <p className="lead no-hit">
          No {pages.hasNextPage && "loaded "}members match "{search}".
        </p>
      )}
      {isAdmin && <InviteList created={created} onRenewed={(invite) => setCreated((all) => [...all, invite])} />}
      <dl className="role-words xs t3">
        {ROLE_MEANINGS.map(({ role, text }) => (
          <div key={role}>
            <dt>{ROLE_NAMES[role]}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </SettingsPage>
  );
}

function isLike({ name, email }: Member, search: string): boolean {
  return `${name} ${email}`.toLowerCase().includes(search.trim().toLowerCase());
}
