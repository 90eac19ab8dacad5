"use client";

import { ExternalLink, Rocket } from "lucide-react";
import Link from "next/link";
import { useId } from "react";
import { BuildProblems } from "@/components/apps/workbench/build-problems";
import { ConflictList } from "@/components/apps/workbench/conflict-list";
import { BuildLog, OperationSteps } from "@/components/apps/workbench/operation-steps";
import { PublishChanges } from "@/components/apps/workbench/publish-changes";
import { usePublish } from "@/components/apps/workbench/use-publish";
import type { Work } from "@/components/apps/workbench/use-work";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FormFailure } from "@/components/ui/form-parts";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { TextField } from "@/components/ui/text-field";
import { useOutage } from "@/components/ui/use-browser";
import { formatCountOf } from "@/lib/platform/browser/format";

/** Maximum number of build errors shown in the dialog. */
const PROBLEMS_SHOWN = 20;

type Place = { path: string; line: number; column: number | null };
type PublishDialogProps = { work: Work; onClose: () => void; onGoTo: (place: Place) => void; onDiff: () => void };
type Publishing = ReturnType<typeof usePublish>;

/** Dialog that shows what a publish changes for users, runs it step by step, and shows its result. */
export function PublishDialog({ work, onClose, onGoTo, onDiff }: PublishDialogProps) {
  const { app } = work;
  const formId = useId();
  const outage = useOutage();
  const publishing = usePublish(work);
  const { operation, isDone, isWorking, problem, unsettled } = publishing;
  if (isDone) return <Published work={work} publishing={publishing} onClose={onClose} />;
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
            type="submit"
            form={formId}
            className="btn primary"
            disabled={isWorking || outage !== null || !publishing.isSettled}
          >
            <Rocket className="s" />
            {isWorking ? "Publishing" : unsettled !== null ? "Resolve and publish" : "Publish"}
          </button>
        </>
      }
    >
      <form {...publishing.formProps} id={formId} className="publish-form" aria-label="Publish">
        <FormFailure text={problem} />
        {outage !== null && <Notice kind="warn">{outage}. Publish when you reconnect.</Notice>}
        {!isWorking && operation?.state === "failed" && <BuildFailure operation={operation} onGoTo={onGoTo} />}
        {unsettled !== null && (
          <ConflictList
            app={app}
            conflicts={unsettled.conflicts}
            mainSha={unsettled.mainSha}
            resolutions={publishing.resolutions}
            onChange={publishing.setResolutions}
          />
        )}
        {isWorking ? (
          operation ? (
            <OperationSteps operation={operation} />
          ) : (
            <ListSkeleton label="Publishing" rows={3} rowPx={28} />
          )
        ) : (
          unsettled === null && <Review work={work} publishing={publishing} onDiff={onDiff} />
        )}
      </form>
    </Modal>
  );
}

type PublishedProps = { work: Work; publishing: Publishing; onClose: () => void };

function Published({ work: { app }, publishing: { note, operation }, onClose }: PublishedProps) {
  const { workspace } = useWorkspace();
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
          <Link className="btn primary" href={`/w/${workspace.slug}/apps/${app.slug}`}>
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
        {operation && <OperationSteps operation={operation} />}
      </div>
    </Modal>
  );
}

type BuildFailureProps = { operation: NonNullable<Publishing["operation"]>; onGoTo: (place: Place) => void };

function BuildFailure({ operation: { problems, log }, onGoTo }: BuildFailureProps) {
  return (
    <>
      {problems.length > 0 && (
        <BuildProblems label="Build errors" problems={problems.slice(0, PROBLEMS_SHOWN)} onGoTo={onGoTo} />
      )}
      {log.length > 0 && <BuildLog lines={log} />}
    </>
  );
}

type ReviewProps = { work: Work; publishing: Publishing; onDiff: () => void };

/** Changes that a publish makes visible, and the field for its release notes. */
function Review({ work, publishing: { uncommitted, notes }, onDiff }: ReviewProps) {
  return (
    <>
      <p className="t2">
        {work.app.publishedSha === null
          ? "This is the first published version."
          : "This replaces the live version. You can roll back at any time."}
      </p>
      <PublishChanges work={work} onDiff={onDiff} />
      {uncommitted > 0 && (
        <Notice kind="warn">{formatCountOf(uncommitted, "uncommitted file")} will be committed first.</Notice>
      )}
      <TextField label="Release notes (optional)" isDense maxLength={500} {...notes} />
    </>
  );
}
