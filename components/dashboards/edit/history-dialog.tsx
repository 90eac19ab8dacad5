"use client";

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { toDashboardDataKey, toDashboardKey, toDashboardsKey } from "@/components/dashboards/use-dashboards";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import { formatStamp } from "@/lib/platform/browser/format-time";

type HistoryDialogProps = {
  dashboardId: string;
  /** Unsaved changes must be saved or discarded before an older version can be restored. */
  isUnsaved: boolean;
  onClose: () => void;
};

/** Version history of a dashboard: author, time, changes in words, and a restore action. */
export function HistoryDialog({ dashboardId, isUnsaved, onClose }: HistoryDialogProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const [openSha, setOpenSha] = useState<string | null>(null);
  const history = useInfiniteQuery({
    queryKey: ["dashboard-history", workspace.id, dashboardId],
    queryFn: ({ pageParam, signal }) => dashboardApi.listHistory(workspace.id, dashboardId, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: 0,
  });
  const restore = useMutation({
    mutationFn: (sha: string) => dashboardApi.restoreVersion(workspace.id, dashboardId, sha),
    onSuccess: (saved) => {
      client.setQueryData(toDashboardKey(workspace.id, dashboardId), saved);
      void client.invalidateQueries({ queryKey: toDashboardsKey(workspace.id) });
      void client.invalidateQueries({ queryKey: toDashboardDataKey(workspace.id, dashboardId) });
      announce("Version restored");
      onClose();
    },
  });
  const commits = history.data?.pages.flatMap(({ items }) => items);
  return (
    <Modal title="History" isOpen onClose={onClose}>
      {restore.error && (
        <Notice kind="bad" role="alert">
          {toMessage(restore.error)}
        </Notice>
      )}
      {history.error && !commits ? (
        <LoadFailure error={history.error} onRetry={() => history.refetch()} />
      ) : commits === undefined ? (
        <ListSkeleton label="Loading history" />
      ) : (
        <ol className="edit-history">
          {commits.map(({ sha, subject, author, date }, at) => (
            <li key={sha}>
              <button
                type="button"
                className="edit-commit"
                aria-expanded={openSha === sha}
                onClick={() => setOpenSha(openSha === sha ? null : sha)}
              >
                <span className="trunc b5">{subject}</span>
                <span className="xs t3">
                  {author.name}, {formatStamp(new Date(date))}
                </span>
              </button>
              {openSha === sha && (
                <div className="edit-commit-body">
                  <Changes dashboardId={dashboardId} sha={sha} />
                  {at > 0 && (
                    <button
                      type="button"
                      className="btn sm"
                      disabled={isUnsaved || restore.isPending}
                      onClick={() => restore.mutate(sha)}
                    >
                      <RotateCcw className="s" />
                      Restore version
                    </button>
                  )}
                  {at > 0 && isUnsaved && <p className="xs t3">Save or discard your changes first.</p>}
                </div>
              )}
            </li>
          ))}
        </ol>
      )}
      {history.hasNextPage && (
        <button
          type="button"
          className="btn sm"
          disabled={history.isFetchingNextPage}
          onClick={() => history.fetchNextPage()}
        >
          Load older versions
        </button>
      )}
    </Modal>
  );
}

function Changes({ dashboardId, sha }: { dashboardId: string; sha: string }) {
  const { workspace } = useWorkspace();
  const { data, error } = useQuery({
    queryKey: ["dashboard-commit", workspace.id, dashboardId, sha],
    queryFn: ({ signal }) => dashboardApi.readCommit(workspace.id, dashboardId, sha, signal),
    // A commit never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <p className="bad">{toMessage(error)}</p>;
  if (!data) return <p className="t3">Loading</p>;
  if (data.changes.length === 0) return <p className="t3">No visible changes.</p>;
  return (
    <ul className="edit-changes">
      {data.changes.map((change) => (
        <li key={change}>{change}</li>
      ))}
    </ul>
  );
}
