"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import { isProduction } from "@/lib/features/connections/browser/connection-tag";
import type { Connection } from "@/lib/features/connections/schema";
import { api } from "@/lib/features/query/browser/api";
import type { ConfirmationDetails } from "@/lib/features/query/schema";
import type { Conflict, RowEdits } from "@/lib/features/results/browser/row-edits";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

type SubmitProps = {
  connection: Connection;
  table: { name: string; schema?: string };
  edits: RowEdits;
  onSubmitted: () => void;
};

/** Returns a function that submits all changes in one transaction, and marks conflicts and refused changes. */
export function useSubmit({ connection, table, edits, onSubmitted }: SubmitProps): () => Promise<void> {
  const { workspace, runs } = useWorkspace();
  const send = async (confirm?: true): Promise<void> => {
    const changes = edits.toChanges();
    try {
      const setting = isProduction(connection.tag) ? { confirmWrites: "always" as const } : {};
      const body = { table, changes, ...setting, ...(confirm && { confirm }) };
      const { affectedRows } = await api.changeRows(workspace.id, connection.id, body);
      edits.clear();
      showToast(`${formatCountOf(affectedRows ?? changes.length, "change")} submitted`);
      onSubmitted();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "confirmation_required") {
        const details = error.details as ConfirmationDetails;
        const question = { connectionId: connection.id, statement: details.statement, isManual: false, details };
        if (await runs.ask(question)) await send(true);
        return;
      }
      const { conflicts, change } = (error.details ?? {}) as Details;
      if (error.code === "conflict" && conflicts) {
        edits.conflict(conflicts);
        announce(`${formatCountOf(changes.length, "change")}, ${formatCountOf(conflicts.length, "conflict")}`);
        return;
      }
      edits.fail(change ?? toChange(error), error.message);
      showFailure(error.message);
    }
  };
  return async () => {
    if (edits.isSubmitting || edits.all.length === 0 || edits.conflicts.size > 0) return;
    edits.submitting(true);
    try {
      await send();
    } finally {
      edits.submitting(false);
    }
  };
}

type Details = { conflicts?: { change: number; current: Conflict }[]; change?: number };

/** Returns the index of the change that an error of the input names; -1 for none. */
export function toChange({ problems }: ApiError): number {
  return Number(/^changes\.(\d+)/.exec(problems[0]?.path ?? "")?.[1] ?? -1);
}
