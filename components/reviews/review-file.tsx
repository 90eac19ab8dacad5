"use client";

import { FileCode2 } from "lucide-react";
import { ResultComparison } from "@/components/reviews/result-comparison";
import { lazyComponent } from "@/components/ui/lazy-component";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { withLastNewline } from "@/lib/base/values/last-newline";
import type { ReviewDetail, ReviewFile } from "@/lib/features/reviews/schema";
import { formatCount } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";

const DiffView = lazyComponent(
  later(() => import("@/components/editor/diff-view")),
  (module) => module.DiffView,
  () => <ListSkeleton label="Loading diff" rows={3} rowPx={26} />,
);
const PLAIN = { extension: [] };
const LABELS = { before: "Main", after: "Review" };

export type DiffKind = "unified" | "split";
type ReviewFileProps = { review: ReviewDetail; file: ReviewFile; kind: DiffKind };

/** One changed file, with the comparison of its results. */
export function ReviewFileView({ review, file, kind }: ReviewFileProps) {
  return (
    <section className="review-file" aria-label={file.path}>
      <div className="row xs review-file-head">
        <FileCode2 className="s t3" />
        <h2 className="mono trunc">{file.path}</h2>
        {file.status !== "modified" && (
          <span className="tag">{file.status.charAt(0).toUpperCase() + file.status.slice(1)}</span>
        )}
        {file.previousPath !== null && <span className="t3 trunc">Renamed from {file.previousPath}</span>}
        {file.additions ? <span className="num review-added">+{formatCount(file.additions)}</span> : null}
        {file.deletions ? <span className="num review-deleted">-{formatCount(file.deletions)}</span> : null}
      </div>
      <Difference file={file} kind={kind} />
      {file.kind !== "other" && file.patch !== null && file.before !== file.after && (
        <ResultComparison review={review} path={file.path} />
      )}
    </section>
  );
}

function Difference({ file, kind }: Omit<ReviewFileProps, "review">) {
  if (file.isBinary) return <p className="t2 review-note">Binary file.</p>;
  if (file.patch === null) return <p className="t2 review-note">Too large to show. Use git diff.</p>;
  const before = withLastNewline(file.before ?? "");
  const after = withLastNewline(file.after ?? "");
  if (before === after) {
    return (
      <p className="t2 review-note">
        {file.status === "renamed" ? "Renamed or moved. Content unchanged." : "Content unchanged."}
      </p>
    );
  }
  const dialect = file.path.endsWith(".sql") ? "standard" : PLAIN;
  return (
    <div className="review-diff">
      <DiffView key={kind} before={before} after={after} kind={kind} dialect={dialect} labels={LABELS} />
    </div>
  );
}
