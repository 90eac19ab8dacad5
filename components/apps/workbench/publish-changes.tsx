"use client";

import { useMemo } from "react";
import { ChangeMark } from "@/components/apps/workbench/change-list";
import { useTreeAt, type Work } from "@/components/apps/workbench/use-work";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { differencesOf, type FileDifference, nameOf } from "@/lib/features/apps/browser/app-files";

const FILES_SHOWN = 50;

/** Files and bindings that differ from the published version. */
export function PublishChanges({ work, onDiff }: { work: Work; onDiff: () => void }) {
  const { app, files } = work;
  const published = useTreeAt(app, app.publishedSha);
  const changes = useMemo(
    () => (app.publishedSha === null || published.data ? differencesOf(published.data ?? [], files) : null),
    [app.publishedSha, published.data, files],
  );
  if (published.isError) return <LoadFailure error={published.error} onRetry={() => published.refetch()} />;
  if (changes === null) return <ListSkeleton label="Loading changes" rows={2} rowPx={28} />;
  const isBinding = ({ path }: FileDifference) => /^bindings\/[^/]+\.sql$/.test(path);
  const bindings = changes.filter(isBinding);
  if (changes.length === 0) return <p>No changes since the live version.</p>;
  return (
    <section className="publish-changes" aria-label="Changes to publish">
      <div className="row">
        <h3 className="b5 grow">Changes</h3>
        {work.status.data && work.status.data.drafts.length > 0 && (
          <button type="button" className="link xs" onClick={onDiff}>
            View diff
          </button>
        )}
      </div>
      <ul>
        {changes.slice(0, FILES_SHOWN).map((change) => (
          <li key={change.path} className="row">
            <ChangeMark status={change.status} />
            <span className="mono trunc">{change.path}</span>
          </li>
        ))}
      </ul>
      {changes.length > FILES_SHOWN && <p className="xs t2">and {changes.length - FILES_SHOWN} more</p>}
      {bindings.length > 0 && (
        <p className="xs t2">
          {bindings
            .map(({ path, status }) => `Binding ${nameOf(path).slice(0, -4)} ${BINDING_WORDS[status]}`)
            .join(". ")}
          .{bindings.some(({ status }) => status !== "deleted") && " Publishing waits for its first refresh."}
        </p>
      )}
    </section>
  );
}

const BINDING_WORDS = { added: "new", modified: "changed", deleted: "removed" } as const;
