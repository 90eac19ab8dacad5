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
import { type AppCard, appApi, type FeedPage } from "@/lib/features/apps/browser/client";
import { ApiError } from "@/lib/platform/browser/request";

export const toFeedKey = (workspaceId: string) => ["app-feed", workspaceId] as const;
export const toOverviewKey = (workspaceId: string) => ["app-overview", workspaceId] as const;
export const toRepositoryLinkKey = (workspaceId: string) => ["repository-link", workspaceId] as const;
export const toAppKey = (workspaceId: string, ref: string) => ["app", workspaceId, ref] as const;
/** Of all that somebody's work on an app consists of: its files, how they stand, its history. */
export const toAppWorkKey = (workspaceId: string, ref: string) => ["app-work", workspaceId, ref] as const;

/** One app, by its id or its slug. */
export function useApp(ref: string) {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toAppKey(workspace.id, ref),
    queryFn: ({ signal }) => appApi.read(workspace.id, ref, signal),
  });
}

/**
 * The apps of the workspace in the person's own order, page by page. An order that has ended is read anew from its first
 * page, as many pages as were shown, and what is shown stays until then.
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
    // A refetch goes through the pages from the first one on, each by the cursor of the one before.
    if (answer.error instanceof ApiError && answer.error.status === 410) await feed.refetch();
  };
  return { ...feed, fetchNextPage: next };
}

/** How many apps there are of each part of the feed, and what the person works on. */
export function useAppsOverview() {
  const { workspace } = useWorkspace();
  return useQuery({
    queryKey: toOverviewKey(workspace.id),
    queryFn: ({ signal }) => appApi.readOverview(workspace.id, signal),
  });
}

/** The repository that the workspace's apps are mirrored to, as it stands. */
export function useRepositoryLink() {
  const { workspace } = useWorkspace();
  const key = toRepositoryLinkKey(workspace.id);
  useRefresh([key], ({ kind, data }) => kind === "app" && data.resourceType === "repo_link");
  return useQuery({ queryKey: key, queryFn: ({ signal }) => appApi.readLink(workspace.id, signal) });
}

/** Keeps an app among the person's favourites, or takes it out: shown at once, and as it was when the server refuses. */
export function useFavorite({ id }: AppCard) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const show = (favorite: boolean) => {
    const told = (cards: AppCard[]) => cards.map((card) => (card.id === id ? { ...card, favorite } : card));
    client.setQueryData<InfiniteData<FeedPage>>(
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
      // A page that was asked for before would put the old state back.
      await client.cancelQueries({ queryKey: toFeedKey(workspace.id) });
      show(favorite);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: toOverviewKey(workspace.id) }),
    // Told from here: the card may be gone from what is shown by then.
    onError: (error, favorite) => {
      show(!favorite);
      showFailure(toMessage(error));
    },
  });
}

/** Reads the list of apps anew: one has come, has gone or is called otherwise. */
export async function readFeedAnew(client: QueryClient, workspaceId: string): Promise<void> {
  await Promise.all(
    [toFeedKey(workspaceId), toOverviewKey(workspaceId)].map((queryKey) => client.invalidateQueries({ queryKey })),
  );
}
