"use client";

import { Undo2 } from "lucide-react";
import { useState } from "react";
import { ChangeList } from "@/components/apps/workbench/change-list";
import type { Places } from "@/components/apps/workbench/use-places";
import type { Work } from "@/components/apps/workbench/use-work";
import { Confirm } from "@/components/ui/confirm";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { nameOf } from "@/lib/features/apps/browser/app-files";

type ChangesViewProps = { work: Work; places: Places; isReadOnly: boolean };

/** Shows uncommitted changes file by file, against the last commit. */
export function ChangesView({ work, places, isReadOnly }: ChangesViewProps) {
  const { app, status } = work;
  const [discarding, setDiscarding] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const drafts = status.data?.drafts ?? [];
  return (
    <section className="app-view" aria-label="Changes since the last commit">
      <div className="row app-view-head">
        <h2 className="b6">Changes</h2>
        <span className="t2 xs">since the last commit</span>
      </div>
      {status.isPending && <ListSkeleton label="Loading changes" />}
      {status.isError && !status.data && <LoadFailure error={status.error} onRetry={() => status.refetch()} />}
      {status.data && drafts.length === 0 && (
        <div className="empty blank app-view-empty">
          <h2>No uncommitted changes</h2>
          <p>Uncommitted edits appear here.</p>
        </div>
      )}
      {status.data && drafts.length > 0 && (
        <ChangeList
          app={app}
          label="Changed files"
          changes={drafts}
          sides={{ before: status.data.headSha, beforeLabel: "Last commit", afterLabel: "Your changes" }}
          toAction={({ path, status: kind }) => (
            <>
              {kind !== "deleted" && (
                <button type="button" className="btn ghost sm" onClick={() => places.open(path)}>
                  Open
                </button>
              )}
              {!isReadOnly && (
                <button
                  type="button"
                  className="btn ghost sm icon"
                  aria-label={`Discard changes in ${path}`}
                  title="Discard"
                  onClick={() => setDiscarding(path)}
                >
                  <Undo2 className="s" />
                </button>
              )}
            </>
          )}
        />
      )}
      {discarding !== null && (
        <Confirm
          title={`Discard changes in ${nameOf(discarding)}?`}
          action="Discard changes"
          isOpen
          isBusy={isBusy}
          failure={null}
          onConfirm={() => {
            setIsBusy(true);
            void work.discard(discarding).then((done) => {
              setIsBusy(false);
              if (done !== null) setDiscarding(null);
            });
          }}
          onClose={() => setDiscarding(null)}
        >
          {discarding} will be reset to the last commit. This can't be undone.
        </Confirm>
      )}
    </section>
  );
}
