"use client";

import { FileCode2, Pencil, Plus, Trash2, TriangleAlert, X } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { createPortal } from "react-dom";
import { useDialect } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { SqlCode } from "@/components/editor/sql-code";
import { nameRow, toReviewLabel } from "@/components/grid/edit/edit-bar";
import { useSideSlot } from "@/components/layout/side-slot";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CopyButton } from "@/components/ui/copy-button";
import { Keys } from "@/components/ui/keys";
import type { Connection } from "@/lib/features/connections/schema";
import { api } from "@/lib/features/query/browser/api";
import type { EditedRows } from "@/lib/features/results/browser/edited-rows";
import type { RowEdit } from "@/lib/features/results/browser/row-edits";
import { toChange } from "@/lib/features/results/browser/submission";
import { formatCountOf } from "@/lib/platform/browser/format";
import { ApiError } from "@/lib/platform/browser/request";

const SLOT = Symbol("review");
const VERBS = { update: "Update", delete: "Delete", insert: "Insert" } as const;
const ICONS = { update: Pencil, delete: Trash2, insert: Plus } as const;
/** Delay after the last change before its statement is requested, in ms. */
const DELAY_MS = 200;

type ReviewPanelProps = {
  connection: Connection;
  table: { name: string; schema?: string };
  source: EditedRows;
  onSubmit: () => void;
  onClose: () => void;
};

/** Panel with the statements of all pending changes. */
export function ReviewPanel(props: ReviewPanelProps) {
  const slot = useSideSlot(SLOT);
  return slot && createPortal(<Panel {...props} />, slot);
}

function Panel({ connection, table, source, onSubmit, onClose }: ReviewPanelProps) {
  const label = toReviewLabel(source);
  const { edits, areDocuments } = source;
  const { create } = useConsoleActions();
  const dialect = useDialect(connection.type);
  const { statements, inTransaction, problem } = useStatements({ connection, table, source });
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    if (document.querySelector('[role="dialog"],[role="menu"],[role="listbox"],.cell-editor')) return;
    onClose();
  });
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const text = statements.map((statement) => `${statement};`).join("\n\n");
  return (
    <aside
      className="row-panel review-panel"
      aria-label={label}
      tabIndex={-1}
      data-region
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSubmit();
      }}
    >
      <div className="side-panel-head">
        <h2 className="trunc grow">{label}</h2>
        <CopyButton text={text} label={areDocuments ? "Copy operations" : "Copy SQL"} />
        <button
          type="button"
          className="btn ghost icon sm"
          aria-label="Open in console"
          onClick={() => create(connection.id, { content: text })}
        >
          <FileCode2 />
        </button>
        <button type="button" className="btn ghost icon sm" aria-label="Close panel" onClick={onClose}>
          <X />
        </button>
      </div>
      <p className="review-intro xs t2">
        {formatCountOf(edits.all.length, areDocuments ? "operation" : "statement")}
        {inTransaction && " in one transaction"} on <b>{connection.name}</b>.
        {inTransaction === true && " If one fails, none is applied."}
        {inTransaction === false &&
          " A server without a replica set applies them in order, up to the first that fails."}{" "}
        Each expects 1 row.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to reach it */}
      <section className="row-body" tabIndex={0} aria-label="Statements">
        {edits.ordered().map((edit, index) => (
          <Change
            key={edit.id}
            edit={edit}
            isConflict={edits.conflicts.has(edit.id)}
            failure={
              edits.failure?.id === edit.id ? edits.failure.message : problem?.at === index ? problem.message : null
            }
          >
            {statements[index] !== undefined &&
              (areDocuments ? `${statements[index]};` : <SqlCode text={`${statements[index]};`} dialect={dialect} />)}
          </Change>
        ))}
        {problem?.at === -1 && <p className="row-none">{problem.message}</p>}
      </section>
      <div className="row-foot xs t3">
        <Keys keys="mod+enter" />
        Submit
        <span className="grow" />
        <Keys keys="Esc" />
        closes
      </div>
    </aside>
  );
}

type ChangeProps = { edit: RowEdit; isConflict: boolean; failure: string | null; children: React.ReactNode };

function Change({ edit, isConflict, failure, children }: ChangeProps) {
  const Icon = isConflict || failure !== null ? TriangleAlert : ICONS[edit.kind];
  return (
    <article className="review-change" data-kind={isConflict || failure !== null ? "conflict" : edit.kind}>
      <h3 className="xs">
        <Icon className="s" />
        <b className="trunc grow">{`${VERBS[edit.kind]} ${nameRow(edit)}`}</b>
        <span className="t3">{isConflict ? "0 rows: conflict" : failure !== null ? "refused" : "1 row"}</span>
      </h3>
      <pre>{children}</pre>
      {failure !== null && <p className="xs review-failure">{failure}</p>}
    </article>
  );
}

type Problem = { at: number; message: string };
/** `inTransaction`: null until the server has said so. */
type Shown = { statements: string[]; inTransaction: boolean | null; problem: Problem | null };

/** Returns the statements of all changes, as the server will run them. */
function useStatements({ connection, table, source }: Omit<ReviewPanelProps, "onSubmit" | "onClose">) {
  const { workspace } = useWorkspace();
  const { edits, areDocuments } = source;
  const [shown, setShown] = useState<Shown>({ statements: [], inTransaction: null, problem: null });
  const changes = JSON.stringify(edits.toChanges(areDocuments));
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = { table, changes: JSON.parse(changes), dryRun: true };
      api.changeRows(workspace.id, connection.id, body, stop.signal).then(
        ({ statements, inTransaction }) => setShown({ statements, inTransaction, problem: null }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          const at = error instanceof ApiError ? toChange(error) : -1;
          const message = error instanceof Error ? error.message : "Couldn't load the statements. Try again.";
          setShown({ statements: [], inTransaction: null, problem: { at, message } });
        },
      );
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [workspace.id, connection.id, table, changes]);
  return shown;
}
