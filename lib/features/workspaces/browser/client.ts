import type { z } from "zod";
import type { ApiKey, CreatedApiKey, createApiKeyBody } from "@/lib/features/accounts/api-key-schema";
import type { ConnectedApp } from "@/lib/features/accounts/connected-apps/schema";
import type { CreatedInvite, CreateInviteBody, Invite } from "@/lib/features/accounts/invites/schema";
import type { UpdatedMember, Workspace, WorkspaceDetails } from "@/lib/features/workspaces/schema";
import type { Role } from "@/lib/platform/access/roles";
import { sendAll, sendPages } from "@/lib/platform/browser/lists";
import { send } from "@/lib/platform/browser/request";
import type { Page } from "@/lib/platform/http/paging";
import type { OutboxEntry } from "@/lib/platform/mail/schema";

const root = (workspaceId: string) => `/api/workspaces/${workspaceId}`;

/** Requests of the workspace settings. Each function throws ApiError. */
export const workspaceApi = {
  /** Includes all members. */
  read: async (workspaceId: string, signal?: AbortSignal): Promise<WorkspaceDetails> => {
    const pages = await sendPages<WorkspaceDetails>(root(workspaceId), { signal });
    return { ...pages[0], members: pages.flatMap(({ members }) => members) };
  },
  rename: (workspaceId: string, name: string) => send<Workspace>("PATCH", root(workspaceId), { body: { name } }),
  remove: (workspaceId: string) => send<null>("DELETE", root(workspaceId)),

  updateRole: (workspaceId: string, userId: string, role: Role) =>
    send<UpdatedMember>("PUT", `${root(workspaceId)}/members/${userId}`, { body: { role } }),
  removeMember: (workspaceId: string, userId: string) => send<null>("DELETE", `${root(workspaceId)}/members/${userId}`),
  listInvites: (workspaceId: string, signal?: AbortSignal) =>
    sendAll<Invite>(`${root(workspaceId)}/invites`, { signal }),
  /** Inviting an address again replaces its first link. */
  createInvite: (workspaceId: string, body: CreateInviteBody) =>
    send<CreatedInvite>("POST", `${root(workspaceId)}/invites`, { body }),
  removeInvite: (workspaceId: string, inviteId: string) =>
    send<null>("DELETE", `${root(workspaceId)}/invites/${inviteId}`),

  listApiKeys: (workspaceId: string, signal?: AbortSignal) =>
    sendAll<ApiKey>(`${root(workspaceId)}/api-keys`, { signal }),
  /** Only this answer contains the key. */
  createApiKey: (workspaceId: string, body: z.input<typeof createApiKeyBody>) =>
    send<CreatedApiKey>("POST", `${root(workspaceId)}/api-keys`, { body }),
  removeApiKey: (workspaceId: string, keyId: string) => send<null>("DELETE", `${root(workspaceId)}/api-keys/${keyId}`),

  listConnectedApps: (workspaceId: string, signal?: AbortSignal) =>
    sendAll<ConnectedApp>(`${root(workspaceId)}/connected-apps`, { signal }),
  revokeConnectedApp: (workspaceId: string, appId: string) =>
    send<null>("DELETE", `${root(workspaceId)}/connected-apps/${appId}`),

  listOutbox: (workspaceId: string, cursor: string | null, signal?: AbortSignal) =>
    send<Page<OutboxEntry>>(
      "GET",
      `${root(workspaceId)}/outbox${cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`}`,
      { signal },
    ),
};
