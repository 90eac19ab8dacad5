"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";

/** What the person may do here; the server decides again on every request. */
export function useRights() {
  const { role } = useWorkspace().workspace;
  return { role, isOwner: role === "owner", isAdmin: role === "owner" || role === "admin" };
}

const toWorkspaceKey = (workspaceId: string) => ["workspace", workspaceId] as const;

/**
 * The workspace with its members, in the order in which they joined.
 * @param isWatched read anew whenever the page is looked at again: who was seen when is told by no event
 */
export function useWorkspaceDetails(isWatched = false) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toWorkspaceKey(workspace.id),
    queryFn: ({ signal }) => workspaceApi.read(workspace.id, signal),
    ...(isWatched && { refetchOnWindowFocus: "always", staleTime: 0 }),
  });
}

/** Open invitations; asked for only by who may see them. */
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

export function useSessions() {
  return useQuery({ queryKey: ["sessions"], queryFn: ({ signal }) => accountApi.listSessions(signal) });
}

/** A change on the server, after which the lists that show it are read anew. @param lists first part of their keys */
export function useChange<Input, Output>(lists: string[], change: (input: Input) => Promise<Output>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSettled: () => Promise.all(lists.map((list) => queryClient.invalidateQueries({ queryKey: [list] }))),
  });
}

/** Names by user id, for lists that only carry ids. Who is not known may have joined since: they are read anew, once for each. */
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

/** Those that the members were read anew for, by the workspace. */
const askedFor = new Set<string>();

/** Remembers whom it was asked for in vain. */
class Names extends Map<string, string> {
  readonly missed = new Set<string>();

  override get(id: string): string | undefined {
    const name = super.get(id);
    if (name === undefined) this.missed.add(id);
    return name;
  }
}

/** The id of who has an address, for histories, which know people by it; null for who is no member any more. */
export function useMemberId(email: string): string | null {
  const { data } = useWorkspaceDetails();
  return data?.members.find((member) => member.email === email)?.userId ?? null;
}
