"use client";

import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { appApi } from "@/lib/features/apps/browser/client";
import type { Card, Feed } from "@/lib/features/apps/feed/schema";
import { ApiError } from "@/lib/platform/browser/request";

export const toFeedKey = (workspaceId: string) => ["app-feed", workspaceId] as const;
export const toOverviewKey = (workspaceId: string) => ["app-overview", workspaceId] as const;
export const toRepositoryLinkKey = (workspaceId: string) => ["repository-link", workspaceId] as const;
export const toAppKey = (workspaceId: string, ref: string) => ["app", workspaceId, ref] as const;
/** Prefix of the query keys of a user's work on an app: files, status, history. */
export const toAppWorkKey = (workspaceId: string, ref: string) => ["app-work", workspaceId, ref] as const;

/** Reads one app by its id or its slug. */
export function useApp(ref: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toAppKey(workspace.id, ref),
    queryFn: ({ signal }) => appApi.read(workspace.id, ref, signal),
  });
}

/** Reads apps by their ids; reads nothing without ids. Those that the user cannot see are left out. */
export function useAppsById(ids: readonly string[]) {
  const { workspace } = useWorkspace();
  const list = [...new Set(ids)].sort().join(",");
  return useQuery({
    queryKey: [...toFeedKey(workspace.id), "by-id", list],
    queryFn: ({ signal }) => (list === "" ? [] : appApi.lookUp(workspace.id, list, signal)),
  });
}

/**
 * Reads the workspace's apps in the user's personal order, page by page. When an order has expired, all pages that were
 * shown are read again from the first one; the old ones stay visible until then.
 */
export function useFeed() {
  const { workspace } = useWorkspace();
  const feed = useInfiniteQuery({
    queryKey: toFeedKey(workspace.id),
    queryFn: ({ pageParam, signal }) => appApi.readFeed(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  const next = async () => {
    const answer = await feed.fetchNextPage();
    // A refetch reads the pages from the first one on, each by the cursor of the previous one.
    if (answer.error instanceof ApiError && answer.error.status === 410) await feed.refetch();
  };
  return { ...feed, fetchNextPage: next };
}

/** Reads the number of apps in each section of the feed, and the apps that the user works on. */
export function useAppsOverview() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toOverviewKey(workspace.id),
    queryFn: ({ signal }) => appApi.readOverview(workspace.id, signal),
  });
}

/** Reads the repository that the workspace's apps are mirrored to, and its state. */
export function useRepositoryLink() {
  const { workspace } = useWorkspace();
  const key = toRepositoryLinkKey(workspace.id);
  useRefresh([key], ({ kind, data }) => kind === "app" && data.resourceType === "repo_link");
  return useQuery({ queryKey: key, queryFn: ({ signal }) => appApi.readLink(workspace.id, signal) });
}

/** Adds an app to the user's favourites or removes it. Shown at once, and reverted if the server refuses. */
export function useFavorite({ id }: Card) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const show = (favorite: boolean) => {
    const told = (cards: Card[]) => cards.map((card) => (card.id === id ? { ...card, favorite } : card));
    client.setQueryData<InfiniteData<Feed>>(
      toFeedKey(workspace.id),
      (feed) =>
        feed && {
          ...feed,
          pages: feed.pages.map(({ popular, fresh, apps, nextCursor }) => ({
            ...(popular && { popular: told(popular) }),
            ...(fresh && { fresh: told(fresh) }),
            apps: told(apps),
            nextCursor,
          })),
        },
    );
  };
  return useMutation({
    mutationFn: (favorite: boolean) => appApi.setFavorite(workspace.id, id, favorite),
    onMutate: async (favorite) => {
      // A page requested earlier would restore the old state.
      await client.cancelQueries({ queryKey: toFeedKey(workspace.id) });
      show(favorite);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: toOverviewKey(workspace.id) }),
    // Reported from here, since the card may be gone by then.
    onError: (error, favorite) => {
      show(!favorite);
      showFailure(toMessage(error));
    },
  });
}

/** Reads the list of apps again after an app was created, deleted or renamed. */
export async function readFeedAnew(client: QueryClient, workspaceId: string): Promise<void> {
  await Promise.all(
    [toFeedKey(workspaceId), toOverviewKey(workspaceId)].map((queryKey) => client.invalidateQueries({ queryKey })),
  );
}
