import type { z } from "zod";
import type { ApiKey, CreatedApiKey, createApiKeyBody } from "@/lib/features/accounts/api-key-schema";
import type { ConnectedApp } from "@/lib/features/accounts/connected-apps/schema";
import type { CreatedInvite, CreateInviteBody, Invite } from "@/lib/features/accounts/invites/schema";
import type { Member, UpdatedMember, Workspace, WorkspaceDetails } from "@/lib/features/workspaces/schema";
import type { Role } from "@/lib/platform/access/roles";
import { type ListPage, sendListPage } from "@/lib/platform/browser/lists";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";
import type { OutboxEntry } from "@/lib/platform/mail/schema";

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}`;

/** Requests of the workspace settings. Each function throws ApiError. */
export const workspaceApi = {
  /** Lists members in joining order. @param cursor of the previous page; null for the first page */
  listMembers: async (
    workspaceId: string,
    cursor: string | null,
    signal?: AbortSignal,
  ): Promise<ListPage<Member[]>> => {
    const { data, nextCursor } = await sendListPage<WorkspaceDetails>(root(workspaceId), cursor, signal);
    return { data: data.members, nextCursor };
  },
  /** Returns the members among these users. */
  lookUpMembers: async (workspaceId: string, ids: string, signal?: AbortSignal): Promise<Member[]> =>
    (await send<WorkspaceDetails>("GET", `${root(workspaceId)}?ids=${ids}`, { signal })).members,
  rename: (workspaceId: string, name: string) => send<Workspace>("PATCH", root(workspaceId), { body: { name } }),
  remove: (workspaceId: string) => send<null>("DELETE", root(workspaceId)),

  updateRole: (workspaceId: string, userId: string, role: Role) =>
    send<UpdatedMember>("PUT", `${root(workspaceId)}/members/${userId}`, { body: { role } }),
  removeMember: (workspaceId: string, userId: string) => send<null>("DELETE", `${root(workspaceId)}/members/${userId}`),
  listInvites: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    sendListPage<Invite[]>(`${root(workspaceId)}/invites`, cursor, signal),
  /** Inviting an address again replaces its first link. */
  createInvite: (workspaceId: string, body: CreateInviteBody) =>
    send<CreatedInvite>("POST", `${root(workspaceId)}/invites`, { body }),
  removeInvite: (workspaceId: string, inviteId: string) =>
    send<null>("DELETE", `${root(workspaceId)}/invites/${inviteId}`),

  listApiKeys: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    sendListPage<ApiKey[]>(`${root(workspaceId)}/api-keys`, cursor, signal),
  /** Only this answer contains the key. */
  createApiKey: (workspaceId: string, body: z.input<typeof createApiKeyBody>) =>
    send<CreatedApiKey>("POST", `${root(workspaceId)}/api-keys`, { body }),
  removeApiKey: (workspaceId: string, keyId: string) => send<null>("DELETE", `${root(workspaceId)}/api-keys/${keyId}`),

  listConnectedApps: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    sendListPage<ConnectedApp[]>(`${root(workspaceId)}/connected-apps`, cursor, signal),
  revokeConnectedApp: (workspaceId: string, appId: string) =>
    send<null>("DELETE", `${root(workspaceId)}/connected-apps/${appId}`),

  listOutbox: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<OutboxEntry>>(
      "GET",
      `${root(workspaceId)}/outbox${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
};
