"use client";

import { useInfiniteQuery } from "@tanstack/react-query";
import { GitPullRequest } from "lucide-react";
import Link from "next/link";
import { Page } from "@/components/layout/page";
import { useRefresh } from "@/components/layout/use-refresh";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { useNow } from "@/components/ui/use-browser";
import { reviewApi } from "@/lib/features/reviews/browser/client";
import type { Review } from "@/lib/features/reviews/schema";
import { formatCount, formatCountOf } from "@/lib/platform/browser/format";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";
import type { EventKind } from "@/lib/platform/events/schema";
import "./reviews.css";

const AGO_EVERY_MS = 30_000;
const HEADS = [
  "Review",
  "Status",
  "Created by",
  { name: "Files", isNumber: true },
  { name: "Commits", isNumber: true },
  "Updated",
];

export const toReviewsKey = (workspaceId: string) => ["reviews", workspaceId];

/** Kinds of changes that move a review or main. */
const MOVES: ReadonlySet<EventKind> = new Set(["review", "push", "console", "dashboard", "app"]);
/** Comparing all reviews with main is expensive. */
const GATHER_MS = 1000;

/** Reloads the shown reviews when one of them, or main, has moved. */
export function useReviewRefresh(): void {
  const { workspace } = useWorkspace();
  useRefresh([toReviewsKey(workspace.id)], ({ kind }) => MOVES.has(kind), GATHER_MS);
}

/** Lists the review branches of the workspace's repository. */
export function ReviewList() {
  const { workspace } = useWorkspace();
  const reviews = useInfiniteQuery({
    queryKey: toReviewsKey(workspace.id),
    queryFn: ({ signal, pageParam }) => reviewApi.list(workspace.id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
  useReviewRefresh();
  const items = reviews.data?.pages.flatMap((page) => page.items) ?? [];
  const isEmpty = reviews.isSuccess && items.length === 0;
  return (
    <Page title="Reviews" isWide {...(items.length > 0 && !reviews.hasNextPage && { count: items.length })}>
      {reviews.isPending && <ListSkeleton label="Loading reviews" rowPx={44} />}
      {reviews.isError && !reviews.data && <LoadFailure error={reviews.error} onRetry={() => reviews.refetch()} />}
      {isEmpty && (
        <div className="empty blank">
          <span className="empty-mark">
            <GitPullRequest />
          </span>
          <h2>No reviews yet</h2>
          <p>
            Push a branch to review it before it changes main. Pull requests of a linked repository appear here too.
          </p>
          <code className="mono xs review-command">git push origin HEAD:refs/heads/review/my-change</code>
        </div>
      )}
      {items.length > 0 && (
        <ListTable label="Reviews" columns={HEADS}>
          <tbody>
            {items.map((review) => (
              <Row key={review.name} review={review} href={`/w/${workspace.slug}/reviews/${review.name}`} />
            ))}
          </tbody>
        </ListTable>
      )}
      <LoadMore pages={reviews} className="btn more" />
    </Page>
  );
}

function Row({ review, href }: { review: Review; href: string }) {
  const now = useNow(true, AGO_EVERY_MS);
  const at = new Date(review.updatedAt);
  return (
    <tr>
      <td>
        <span className="row xs">
          <Link className="link b5" href={href}>
            {review.name}
          </Link>
          {review.pullRequest && <PullRequestLink pullRequest={review.pullRequest} />}
        </span>
        <div className="t3 xs trunc review-subject">{review.subject}</div>
      </td>
      <td>
        <ReviewState review={review} />
      </td>
      <td data-label="Created by">{review.creator?.name ?? review.author.name}</td>
      <td className="r num" data-label="Files">
        {formatCount(review.files)}
      </td>
      <td className="r num" data-label="Commits">
        {formatCount(review.ahead)}
      </td>
      <td data-label="Updated" title={formatStamp(at)}>
        {now === null ? formatStamp(at) : formatAgo(at, new Date(now))}
      </td>
    </tr>
  );
}

/** Link to the pull request that a review follows. */
export function PullRequestLink({ pullRequest: { number, url } }: { pullRequest: NonNullable<Review["pullRequest"]> }) {
  return (
    <a className="link xs" href={url} target="_blank" rel="noreferrer">
      Pull request #{number}
    </a>
  );
}

/** Shows whether a review is open, and how far main has moved on. */
export function ReviewState({ review: { ahead, behind } }: { review: Review }) {
  if (ahead === 0) return <span className="tag">Merged</span>;
  return (
    <span className="row xs">
      <span className="tag">Open</span>
      {behind > 0 && <span className="t3">{formatCountOf(behind, "commit")} behind main</span>}
    </span>
  );
}
