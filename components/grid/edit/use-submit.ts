"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import { isProduction } from "@/lib/features/connections/browser/connection-tag";
import type { Connection } from "@/lib/features/connections/schema";
import { api } from "@/lib/features/query/browser/api";
import { executionsApi } from "@/lib/features/query/browser/executions";
import type { ConfirmationDetails } from "@/lib/features/query/schema";
import type { Conflict, RowEdits } from "@/lib/features/results/browser/row-edits";
import { formatCountOf } from "@/lib/platform/browser/format";
import { newId } from "@/lib/platform/browser/new-id";
import { ApiError } from "@/lib/platform/browser/request";

type SubmitProps = {
  connection: Connection;
  table: { name: string; schema?: string };
  edits: RowEdits;
  onReload: () => void;
};

const UNANSWERED =
  "The server did not respond. The changes may have been written. Submit again to check, or discard them and refresh the rows.";
/** Status from which a proxy, not the query, may be the reason. */
const SERVER_ERROR = 500;

/** Returns a function that submits all changes in one transaction, and marks conflicts and refused changes. */
export function useSubmit({ connection, table, edits, onReload }: SubmitProps): () => Promise<void> {
  const { workspace, runs } = useWorkspace();
  const finish = (count: number) => {
    edits.clear();
    showToast(`${formatCountOf(count, "change")} submitted`);
    onReload();
  };
  const fail = (change: number, message: string) => {
    edits.fail(change, message);
    showFailure(message);
  };
  /** Returns whether an earlier submission without a response was written; null if that is not known. */
  const wasWritten = async (): Promise<boolean | null> => {
    if (edits.unansweredId === null) return false;
    const found = await executionsApi.find(workspace.id, edits.unansweredId).catch(() => undefined);
    if (found === undefined || found?.status === "queued" || found?.status === "running") return null;
    edits.unansweredId = null;
    return found?.status === "success";
  };
  const send = async (confirm?: true): Promise<void> => {
    const changes = edits.toChanges();
    const executionId = newId();
    try {
      const setting = isProduction(connection.tag) ? { confirmWrites: "always" as const } : {};
      const body = { table, changes, executionId, ...setting, ...(confirm && { confirm }) };
      const { affectedRows } = await api.changeRows(workspace.id, connection.id, body);
      finish(affectedRows ?? changes.length);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 0 || error.status >= SERVER_ERROR) {
        edits.unansweredId = executionId;
        const written = await wasWritten();
        if (written === true) return finish(changes.length);
        return fail(-1, written === null ? UNANSWERED : error.message);
      }
      if (error.code === "confirmation_required") {
        const details = error.details as ConfirmationDetails;
        const question = { connectionId: connection.id, statement: details.statement, isManual: false, details };
        if (await runs.ask(question)) await send(true);
        return;
      }
      const { conflicts, change, written = 0 } = (error.details ?? {}) as Details;
      if (written > 0) {
        edits.written(written);
        onReload();
      }
      if (error.code === "conflict" && conflicts) {
        edits.conflict(conflicts.map((each) => ({ ...each, change: each.change - written })));
        announce(`${formatCountOf(changes.length, "change")}, ${formatCountOf(conflicts.length, "conflict")}`);
        return;
      }
      fail(change === undefined ? toChange(error) : change - written, error.message);
    }
  };
  return async () => {
    if (edits.isSubmitting || edits.isEmpty || edits.conflicts.size > 0) return;
    edits.submitting(true);
    try {
      const written = await wasWritten();
      if (written === true) finish(edits.all.length);
      else if (written === null) fail(-1, UNANSWERED);
      else await send();
    } finally {
      edits.submitting(false);
    }
  };
}

type Details = { conflicts?: { change: number; current: Conflict }[]; change?: number; written?: number };

/** Returns the index of the change that an error of the input names; -1 for none. */
export function toChange({ problems }: ApiError): number {
  return Number(/^changes\.(\d+)/.exec(problems[0]?.path ?? "")?.[1] ?? -1);
}
