"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ExternalLink, GitMerge, Trash2 } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { type DiffKind, ReviewFileView } from "@/components/reviews/review-file";
import { PullRequestLink, ReviewState, toReviewsKey, useReviewRefresh } from "@/components/reviews/review-list";
import { Confirm } from "@/components/ui/confirm";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { useMediaQuery, useOutage } from "@/components/ui/use-browser";
import { reviewApi } from "@/lib/features/reviews/browser/client";
import type { ReviewDetail } from "@/lib/features/reviews/schema";
import { formatCountOf } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";
import { ApiError } from "@/lib/platform/browser/request";
import "./reviews.css";

/** Number of digits of a commit id that are shown. */
const SHORT_SHA = 7;
const KINDS = [
  { value: "unified", label: "Unified" },
  { value: "split", label: "Side by side" },
] as const;

/** One review: its changes, the results of both versions, and its merge. */
export function ReviewView({ name }: { name: string }) {
  const { workspace } = useWorkspace();
  const review = useQuery({
    queryKey: [...toReviewsKey(workspace.id), name],
    queryFn: ({ signal }) => reviewApi.read(workspace.id, name, signal),
  });
  useReviewRefresh();
  const isUnknown = review.error instanceof ApiError && [400, 404].includes(review.error.status);
  const list = <Link href={`/w/${workspace.slug}/reviews`}>Reviews</Link>;
  return (
    <Page title={name} trail={list} isWide actions={review.data && <Actions review={review.data} />}>
      {review.isPending && <ListSkeleton label="Loading review" rows={6} rowPx={44} />}
      {isUnknown && (
        <div className="empty blank">
          <h2>Review not found</h2>
          <p>It was deleted, or its address is wrong.</p>
        </div>
      )}
      {review.isError && !isUnknown && !review.data && (
        <LoadFailure error={review.error} onRetry={() => review.refetch()} />
      )}
      {review.data && !isUnknown && <Changes key={review.data.sha} review={review.data} />}
    </Page>
  );
}

function Changes({ review }: { review: ReviewDetail }) {
  const isNarrow = useMediaQuery("(max-width: 1100px)");
  const [chosen, setChosen] = useState<DiffKind | null>(null);
  const kind = chosen ?? (isNarrow ? "unified" : "split");
  const { conflicts, changes, files } = review;
  return (
    <>
      <div className="row xs t3 review-facts">
        <ReviewState review={review} />
        <span className="t2">{review.subject}</span>
        <span>
          {review.author.name}, {formatStamp(new Date(review.updatedAt))}
        </span>
        {review.pullRequest && <PullRequestLink pullRequest={review.pullRequest} />}
        <span className="tag mono">{review.sha.slice(0, SHORT_SHA)}</span>
        <span>{formatCountOf(files, "file")} changed</span>
        <span className="grow" />
        {changes.length > 0 && <Segments label="Diff view" value={kind} options={KINDS} onChange={setChosen} />}
      </div>
      {conflicts.length > 0 && (
        <Notice kind="warn">
          Main changed the same lines in {conflicts.map(({ path }) => path).join(", ")}. Merge main into the{" "}
          {review.pullRequest ? "pull request" : "branch"}, then push it.
        </Notice>
      )}
      {changes.map((file) => (
        <ReviewFileView key={file.path} review={review} file={file} kind={kind} />
      ))}
      {files > changes.length && (
        <p className="t2">Only the first {formatCountOf(changes.length, "file")} are shown.</p>
      )}
    </>
  );
}

function Actions({ review }: { review: ReviewDetail }) {
  const { workspace } = useWorkspace();
  const [asked, setAsked] = useState<"merge" | "delete" | null>(null);
  /** Head when the user decided to merge: later commits are not merged unseen. */
  const [seen, setSeen] = useState(review.sha);
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const queries = useQueryClient();
  const router = useRouter();
  const outage = useOutage();
  const isMerged = review.ahead === 0;

  const act = async (work: () => Promise<unknown>, onDone: () => void) => {
    setIsBusy(true);
    setFailure(null);
    try {
      await work();
      setAsked(null);
      onDone();
    } catch (error) {
      setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
      await queries.invalidateQueries({ queryKey: toReviewsKey(workspace.id) });
    }
  };
  const merge = () =>
    act(
      () => reviewApi.merge(workspace.id, review.name, seen),
      () => showToast(`${review.name} merged into main`, { id: "review-merged" }),
    );
  const remove = () =>
    act(
      () => reviewApi.remove(workspace.id, review.name),
      () => {
        queries.removeQueries({ queryKey: [...toReviewsKey(workspace.id), review.name] });
        router.push(`/w/${workspace.slug}/reviews`);
        showToast(`${review.name} deleted`, { id: "review-deleted" });
      },
    );
  const close = () => {
    setAsked(null);
    setFailure(null);
  };
  return (
    <>
      {review.pullRequest && (
        <a className="btn primary" href={review.pullRequest.url} target="_blank" rel="noreferrer">
          <ExternalLink className="s" />
          Open pull request
        </a>
      )}
      {review.mayDelete && (
        <button type="button" className="btn" disabled={outage !== null} onClick={() => setAsked("delete")}>
          <Trash2 className="s" />
          Delete
        </button>
      )}
      {review.mayMerge && !isMerged && (
        <button
          type="button"
          className="btn primary"
          disabled={outage !== null || review.conflicts.length > 0}
          onClick={() => {
            setSeen(review.sha);
            setAsked("merge");
          }}
        >
          <GitMerge className="s" />
          Merge
        </button>
      )}
      <Confirm
        title="Merge review"
        action="Merge review"
        isOpen={asked === "merge"}
        isBusy={isBusy}
        isDanger={false}
        failure={failure}
        onConfirm={() => void merge()}
        onClose={close}
      >
        {formatCountOf(review.files, "file")} of <b>{review.name}</b> change on main, for all members.
      </Confirm>
      <Confirm
        title="Delete review"
        action="Delete review"
        isOpen={asked === "delete"}
        isBusy={isBusy}
        failure={failure}
        onConfirm={() => void remove()}
        onClose={close}
      >
        {isMerged ? (
          <>
            The branch <b>review/{review.name}</b> is deleted. Its commits stay on main.
          </>
        ) : (
          <>
            The branch <b>review/{review.name}</b> is deleted with {formatCountOf(review.ahead, "commit")} that main
            lacks.
          </>
        )}
      </Confirm>
    </>
  );
}
