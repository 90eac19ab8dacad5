"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useLookUp } from "@/components/ui/use-look-up";
import { usePages } from "@/components/ui/use-pages";
import { accountApi } from "@/lib/features/accounts/browser/account";
import { workspaceApi } from "@/lib/features/workspaces/browser/client";

/** Returns the user's rights here, for the interface only; the server checks them on every request. */
export function useRights() {
  const { role } = useWorkspace().workspace;
  return { role, isOwner: role === "owner", isAdmin: role === "owner" || role === "admin" };
}

const toWorkspaceKey = (workspaceId: string) => ["workspace", workspaceId] as const;

/**
 * Returns the members of the workspace, in the order in which they joined, in pages.
 * @param isWatched reload whenever the page becomes visible: no event reports when a member was last seen
 */
export function useMembers(isWatched = false) {
  const { workspace } = useWorkspace();
  return usePages(
    toWorkspaceKey(workspace.id),
    (cursor, signal) => workspaceApi.listMembers(workspace.id, cursor, signal),
    isWatched ? { refetchOnWindowFocus: "always", staleTime: 0 } : {},
  );
}

/** Returns the open invitations, in pages; requested only by users who may see them. */
export function useInvites() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  return usePages(
    ["invites", workspace.id],
    (cursor, signal) => workspaceApi.listInvites(workspace.id, cursor, signal),
    { enabled: isAdmin },
  );
}

export function useApiKeys() {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  return usePages(
    ["api-keys", workspace.id],
    (cursor, signal) => workspaceApi.listApiKeys(workspace.id, cursor, signal),
    { enabled: isAdmin },
  );
}

export function useConnectedApps() {
  const { workspace } = useWorkspace();
  return usePages(["connected-apps", workspace.id], (cursor, signal) =>
    workspaceApi.listConnectedApps(workspace.id, cursor, signal),
  );
}

export function useSessions() {
  return usePages(["sessions"], accountApi.listSessions);
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
 * Returns names by user id, for lists that carry only ids. Users who are not among the loaded members are looked up:
 * they may be on a later page, or have joined since.
 */
export function useMemberNames(): MemberNames {
  const { workspace } = useWorkspace();
  const { data: members } = useMembers();
  const find = useLookUp(members, {
    queryKey: [...toWorkspaceKey(workspace.id), "by-id"],
    read: (ids, signal) => workspaceApi.lookUpMembers(workspace.id, ids, signal),
    idOf: ({ userId }) => userId,
  });
  return {
    isLoading: members === undefined,
    ids: members?.map(({ userId }) => userId) ?? [],
    get: (id) => {
      const member = find(id);
      return member ? member.name || member.email : undefined;
    },
  };
}

/** `ids` are those of the loaded members. */
type MemberNames = { isLoading: boolean; ids: string[]; get: (id: string | null | undefined) => string | undefined };

/**
 * Returns the user id of an address, for histories, which store addresses; null for someone who is not among the loaded
 * members.
 */
export function useMemberId(email: string): string | null {
  const { data } = useMembers();
  return data?.find((member) => member.email === email)?.userId ?? null;
}
