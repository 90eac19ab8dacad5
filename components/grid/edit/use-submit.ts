"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { showToast } from "@/components/ui/toast";
import { isProduction } from "@/lib/features/connections/browser/connection-tag";
import type { Connection } from "@/lib/features/connections/schema";
import { api } from "@/lib/features/query/browser/api";
import { executionsApi } from "@/lib/features/query/browser/executions";
import type { ConfirmationDetails } from "@/lib/features/query/schema";
import type { EditedRows } from "@/lib/features/results/browser/edited-rows";
import { type FailedSubmission, toFailedSubmission, toRecordedEnd } from "@/lib/features/results/browser/submission";
import { formatCountOf } from "@/lib/platform/browser/format";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

type SubmitProps = {
  connection: Connection;
  table: { name: string; schema?: string };
  source: EditedRows;
  onReload: () => void;
};

const UNANSWERED =
  "The server did not respond. The changes may have been written. Submit again to check, or discard them and refresh the rows.";

/** Returns a function that submits all changes in one transaction, and marks conflicts and refused changes. */
export function useSubmit({ connection, table, source, onReload }: SubmitProps): () => Promise<void> {
  const { edits, areDocuments } = source;
  const { workspace, runs } = useWorkspace();
  const finish = (count: number) => {
    edits.clear();
    showToast(`${formatCountOf(count, "change")} submitted`);
    onReload();
  };
  // The edit bar shows it: a toast would cover the bar's buttons.
  const fail = (change: number, message: string) => edits.fail(change, message);
  const failAs = ({ written, change, conflicts, message }: FailedSubmission) => {
    const count = edits.all.length;
    if (written > 0) {
      edits.written(written);
      onReload();
    }
    if (conflicts === null) return fail(change, message);
    edits.conflict(conflicts);
    announce(`${formatCountOf(count, "change")}, ${formatCountOf(conflicts.length, "conflict")}`);
  };
  /** Applies the end of a submission without a response. @returns false if the server has never received it */
  const settle = async (executionId: string): Promise<boolean> => {
    edits.unansweredId = executionId;
    const found = await executionsApi.find(workspace.id, executionId).catch(() => undefined);
    const end = found && toRecordedEnd(found);
    if (found === undefined || (found !== null && !end)) {
      fail(-1, UNANSWERED);
      return true;
    }
    edits.unansweredId = null;
    if (end === "success") finish(edits.all.length);
    else if (end) failAs(end);
    return found !== null;
  };
  const send = async (confirm?: true): Promise<void> => {
    const changes = edits.toChanges(areDocuments);
    const executionId = newId();
    try {
      const setting = isProduction(connection.tag) ? { confirmWrites: "always" as const } : {};
      const body = { table, changes, executionId, ...setting, ...(confirm && { confirm }) };
      const { affectedRows } = await api.changeRows(workspace.id, connection.id, body);
      finish(affectedRows ?? changes.length);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "confirmation_required") {
        const details = error.details as ConfirmationDetails;
        const question = { connectionId: connection.id, statement: details.statement, isManual: false, details };
        if (await runs.ask(question)) await send(true);
        return;
      }
      const end = toFailedSubmission(error);
      if (end) failAs(end);
      else if (!(await settle(executionId))) fail(-1, error.message);
    }
  };
  return async () => {
    if (edits.isSubmitting || edits.isEmpty || edits.conflicts.size > 0) return;
    edits.submitting(true);
    try {
      if (edits.unansweredId === null || !(await settle(edits.unansweredId))) await send();
    } finally {
      edits.submitting(false);
    }
  };
}
