"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";

/** Returns the user's rights here, for the interface only; the server checks them on every request. */
export function useRights() {
  const { role } = useWorkspace().workspace;
  return { role, isOwner: role === "owner", isAdmin: role === "owner" || role === "admin" };
}

const toWorkspaceKey = (workspaceId: string) => ["workspace", workspaceId] as const;

/**
 * Returns the workspace with its members, in the order in which they joined.
 * @param isWatched reload whenever the page becomes visible: no event reports when a member was last seen
 */
export function useWorkspaceDetails(isWatched = false) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toWorkspaceKey(workspace.id),
    queryFn: ({ signal }) => workspaceApi.read(workspace.id, signal),
    ...(isWatched && { refetchOnWindowFocus: "always", staleTime: 0 }),
  });
}

/** Returns the open invitations; requested only by users who may see them. */
export function useInvites() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  return useQuery({
    queryKey: ["invites", workspace.id],
    queryFn: ({ signal }) => workspaceApi.listInvites(workspace.id, signal),
    enabled: isAdmin,
  });
}

export function useApiKeys() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  return useQuery({
    queryKey: ["api-keys", workspace.id],
    queryFn: ({ signal }) => workspaceApi.listApiKeys(workspace.id, signal),
    enabled: isAdmin,
  });
}

export function useConnectedApps() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: ["connected-apps", workspace.id],
    queryFn: ({ signal }) => workspaceApi.listConnectedApps(workspace.id, signal),
  });
}

export function useSessions() {
  return useQuery({ queryKey: ["sessions"], queryFn: ({ signal }) => accountApi.listSessions(signal) });
}

/** Changes something on the server, then invalidates the lists that show it. @param lists first part of their keys */
export function useChange<Input, Output>(lists: string[], change: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => Promise.all(lists.map((list) => queryClient.invalidateQueries({ queryKey: [list] }))),
  });
}

/**
 * Returns names by user id, for lists that carry only ids. An unknown user may have joined since: the members are then
 * reloaded, once per id.
 */
export function useMemberNames(): ReadonlyMap<string, string> {
  const { workspace } = useWorkspace();
  const queryClient = useQueryClient();
  const { data } = useWorkspaceDetails();
  const names = new Names(data?.members.map(({ userId, name, email }) => [userId, name || email]));
  useEffect(() => {
    const strangers = [...names.missed].map((id) => `${workspace.id} ${id}`).filter((key) => !askedFor.has(key));
    if (data === undefined || strangers.length === 0) return;
    for (const key of strangers) askedFor.add(key);
    void queryClient.invalidateQueries({ queryKey: toWorkspaceKey(workspace.id) });
  });
  return names;
}

/** Ids for which the members were reloaded, per workspace. */
const askedFor = new Set<string>();

/** Names with the ids that were not found. */
class Names extends Map<string, string> {
  readonly missed = new Set<string>();

  override get(id: string): string | undefined {
    const name = super.get(id);
    if (name === undefined) this.missed.add(id);
    return name;
  }
}

/**
 * Returns the user id of an address, for histories, which store addresses; null for someone who is no longer a member.
 */
export function useMemberId(email: string): string | null {
  const { data } = useWorkspaceDetails();
  return data?.members.find((member) => member.email === email)?.userId ?? null;
}
