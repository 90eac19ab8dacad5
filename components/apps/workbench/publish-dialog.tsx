"use client";

import { useQueryClient } from "@tanstack/react-query";
import { ExternalLink, Rocket } from "lucide-react";
import Link from "next/link";
import { useMemo, useState } from "react";
import { readFeedAnew, toAppKey } from "@/components/apps/use-apps";
import { BuildProblems } from "@/components/apps/workbench/build-problems";
import { ChangeMark } from "@/components/apps/workbench/change-list";
import { ConflictList } from "@/components/apps/workbench/conflict-list";
import { BuildLog, OperationSteps } from "@/components/apps/workbench/operation-steps";
import { useOperation } from "@/components/apps/workbench/use-operation";
import { useTreeAt, type Work } from "@/components/apps/workbench/use-work";
import { useWorkspace } from "@/components/layout/workspace-context";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { useOutage } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import { differencesOf, type FileDifference, nameOf } from "@/lib/features/apps/browser/app-files";
import { appApi, type PublishConflict, type Resolutions, toConflicts } from "@/lib/features/apps/browser/client";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

/** Maximum number of build errors shown in the dialog. */
const PROBLEMS_SHOWN = 20;
const FILES_SHOWN = 50;

type Place = { path: string; line: number; column: number | null };
type PublishDialogProps = { work: Work; onClose: () => void; onGoTo: (place: Place) => void; onDiff: () => void };
type Unsettled = { mainSha: string | null; conflicts: PublishConflict[] };

/** Dialog that shows what a publish changes for users, runs it step by step, and shows its result. */
export function PublishDialog({ work, onClose, onGoTo, onDiff }: PublishDialogProps) {
  const { app } = work;
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const outage = useOutage();
  const [message, setMessage] = useState("");
  const [phase, setPhase] = useState<"ask" | "work" | "done">("ask");
  const [failure, setFailure] = useState<string | null>(null);
  const [following, setFollowing] = useState<string | null>(null);
  const [unsettled, setUnsettled] = useState<Unsettled | null>(null);
  const [resolutions, setResolutions] = useState<Resolutions>({});
  const [note, setNote] = useState<string | null>(null);
  const operation = useOperation(app.id, following);
  const stands = following === null ? null : (operation.data ?? null);
  const uncommitted = new Set([...(work.status.data?.drafts ?? []).map(({ path }) => path), ...work.texts.keys()]).size;

  const readAnew = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.slug) }),
      client.invalidateQueries({ queryKey: toAppKey(workspace.id, app.id) }),
      readFeedAnew(client, workspace.id),
      work.readAnew(),
    ]);
  const [publish] = useSingleFlight(async () => {
    setFailure(null);
    setPhase("work");
    const said = message.trim() === "" ? undefined : message.trim();
    try {
      if (uncommitted > 0 && !(await work.commitOpen(said))) return setPhase("ask");
      setFollowing("latest");
      const answer = await appApi.publish(workspace.id, app.id, {
        ...(said !== undefined && { message: said }),
        ...(unsettled !== null && { resolutions, ...(unsettled.mainSha !== null && { mainSha: unsettled.mainSha }) }),
      });
      setFollowing(answer.operationId);
      if ("sha" in answer) {
        setNote(answer.note);
        setPhase("done");
        announce(`${app.title} published`);
      }
    } catch (error) {
      const conflicts = error instanceof ApiError && error.status === 409 ? toConflicts(error.details) : null;
      setUnsettled(conflicts);
      setResolutions({});
      const hasRun = error instanceof ApiError && error.status === 422;
      if (!hasRun) setFollowing(null);
      setFailure(toMessage(error));
      setPhase("ask");
      announce(`Couldn't publish ${app.title}`, true);
    } finally {
      await readAnew();
    }
  });
  // If the response comes before the end, the operation is followed to its end.
  const isDone = phase === "done" || (phase === "work" && stands?.state === "done");
  const hasFailed = phase === "work" && stands?.state === "failed" && following !== "latest";
  const isWorking = phase === "work" && !isDone && !hasFailed;
  const problem = failure ?? (hasFailed ? (stands.error?.message ?? "Publish failed.") : null);
  const isSettled = unsettled === null || unsettled.conflicts.every(({ path }) => path in resolutions);
  const address = `/w/${workspace.slug}/apps/${app.slug}`;
  if (isDone) {
    return (
      <Modal
        title={`${app.title} published`}
        isOpen
        onClose={onClose}
        foot={
          <>
            <button type="button" className="btn ghost" onClick={onClose}>
              Close
            </button>
            <Link className="btn primary" href={address}>
              <ExternalLink className="s" />
              Open app
            </Link>
          </>
        }
      >
        <div className="publish-form">
          <Notice kind="good" role="status">
            {app.access === "private" ? "You" : `Everyone in ${workspace.name}`} can now open it.
          </Notice>
          {note !== null && <Notice kind="info">{note}</Notice>}
          {stands && <OperationSteps operation={stands} />}
        </div>
      </Modal>
    );
  }
  return (
    <Modal
      title={`Publish ${app.title}`}
      isOpen
      onClose={onClose}
      isWide={unsettled !== null}
      foot={
        <>
          <button type="button" className="btn ghost" onClick={onClose}>
            {isWorking ? "Continue in background" : "Cancel"}
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={isWorking || outage !== null || !isSettled}
            onClick={() => void publish()}
          >
            <Rocket className="s" />
            {isWorking ? "Publishing" : unsettled !== null ? "Resolve and publish" : "Publish"}
          </button>
        </>
      }
    >
      <div className="publish-form">
        {problem !== null && (
          <Notice kind="bad" role="alert">
            {problem}
          </Notice>
        )}
        {outage !== null && <Notice kind="warn">{outage}. Publish when you reconnect.</Notice>}
        {!isWorking && stands?.state === "failed" && stands.problems.length > 0 && (
          <BuildProblems label="Build errors" problems={stands.problems.slice(0, PROBLEMS_SHOWN)} onGoTo={onGoTo} />
        )}
        {!isWorking && stands?.state === "failed" && stands.log.length > 0 && <BuildLog lines={stands.log} />}
        {unsettled !== null && (
          <ConflictList
            app={app}
            conflicts={unsettled.conflicts}
            mainSha={unsettled.mainSha}
            resolutions={resolutions}
            onChange={setResolutions}
          />
        )}
        {isWorking ? (
          stands ? (
            <OperationSteps operation={stands} />
          ) : (
            <ListSkeleton label="Publishing" rows={3} rowPx={28} />
          )
        ) : (
          unsettled === null && (
            <>
              <p className="t2">
                {app.publishedSha === null
                  ? "This is the first published version."
                  : "This replaces the live version. You can roll back at any time."}
              </p>
              <WhatChanges work={work} onDiff={onDiff} />
              {uncommitted > 0 && (
                <Notice kind="warn">{formatCountOf(uncommitted, "uncommitted file")} will be committed first.</Notice>
              )}
              <TextField
                label="Release notes (optional)"
                isDense
                value={message}
                maxLength={500}
                onChange={({ target }) => setMessage(target.value)}
              />
            </>
          )
        )}
      </div>
    </Modal>
  );
}

/** Files and bindings that differ from the published version. */
function WhatChanges({ work, onDiff }: { work: Work; onDiff: () => void }) {
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
