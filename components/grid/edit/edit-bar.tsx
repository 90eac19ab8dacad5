"use client";

import { TriangleAlert } from "lucide-react";
import type { CellValue } from "@/lib/base/values/json-rows";
import { toCellText } from "@/lib/features/results/browser/cell-text";
import { toFilterValue } from "@/lib/features/results/browser/column-filter";
import type { EditedRows } from "@/lib/features/results/browser/edited-rows";
import { DEFAULT, type NewValue, type RowEdit } from "@/lib/features/results/browser/row-edits";
import { formatCountOf } from "@/lib/platform/browser/format";

type EditBarProps = {
  source: EditedRows;
  tableName: string;
  isReviewing: boolean;
  onReview: () => void;
  onSubmit: () => void;
  onShow: (id: string) => void;
  /** Drops the change of a row, and loads the rows again. */
  onUseTheirs: (id: string) => void;
};

/** Pending changes of a table, and its first conflict. */
export function EditBar({ source, tableName, isReviewing, onReview, onSubmit, onShow, onUseTheirs }: EditBarProps) {
  const { edits } = source;
  const { edited, added, deleted, conflicts } = edits.counts();
  const total = edited + added + deleted;
  const words = formatCountOf(total, "change");
  const [conflicting] = [...edits.conflicts.keys()].flatMap((id) => edits.of(id) ?? []);
  return (
    <section className="edit-bars" aria-label="Pending changes">
      {conflicting && conflicting.kind !== "insert" && (
        <ConflictNote edit={conflicting} {...{ source, tableName, onShow, onUseTheirs }} />
      )}
      {edits.failure && (
        <div className="edit-note bad" role="alert">
          <TriangleAlert className="s" />
          <p className="grow">
            {edits.failure.id !== null && edits.writtenCount === 0 && <b>Nothing was written.</b>}{" "}
            {edits.failure.message}
          </p>
        </div>
      )}
      <div className="edit-bar">
        <b>{words}</b>
        <span className="edit-counts" role="status">
          {edited > 0 && <span>{edited} edited</span>}
          {added > 0 && <span className="added">{added} added</span>}
          {deleted > 0 && <span className="deleted">{deleted} deleted</span>}
          {conflicts > 0 && <span className="conflict">{formatCountOf(conflicts, "conflict")}</span>}
        </span>
        <span className="grow" />
        <button
          type="button"
          className={isReviewing ? "btn sm on" : "btn sm"}
          aria-pressed={isReviewing}
          onClick={onReview}
        >
          {toReviewLabel(source)}
        </button>
        <button
          type="button"
          className="btn sm"
          aria-disabled={edits.isSubmitting}
          onClick={() => !edits.isSubmitting && edits.clear()}
        >
          Discard
        </button>
        <button
          type="button"
          className="btn sm primary"
          aria-disabled={conflicts > 0 || edits.isSubmitting}
          title={conflicts > 0 ? "Resolve the conflict first" : undefined}
          onClick={onSubmit}
        >
          {edits.isSubmitting ? "Submitting" : `Submit ${words}`}
        </button>
      </div>
    </section>
  );
}

/** Returns the name of the panel with the statements of all changes. */
export function toReviewLabel({ areDocuments }: EditedRows): string {
  return areDocuments ? "Review operations" : "Review SQL";
}

type ConflictNoteProps = Pick<EditBarProps, "source" | "tableName" | "onShow" | "onUseTheirs"> & {
  edit: Exclude<RowEdit, { kind: "insert" }>;
};

function ConflictNote({ edit, source, tableName, onShow, onUseTheirs }: ConflictNoteProps) {
  const { edits } = source;
  const current = edits.conflicts.get(edit.id);
  const name = `${tableName} ${nameRow(edit)}`;
  const changed = current
    ? Object.keys(edit.old).filter((column) => toFilterValue(current[column]) !== edit.old[column])
    : [];
  const textOf = (column: string, value: CellValue) => {
    const field = source.fields.find((each) => each.name === column);
    return value === null ? "NULL" : field ? toCellText(value, field) : String(value);
  };
  return (
    <div className="edit-note" role="alert">
      <TriangleAlert className="s" />
      <div className="grow">
        <b>
          {current ? `${name} changed after you loaded it.` : `${name} was deleted after you loaded it.`}{" "}
          {edits.writtenCount === 0
            ? "Nothing was written."
            : `Written before it: ${formatCountOf(edits.writtenCount, "change")}.`}
        </b>
        {changed.map((column) => (
          <p key={column}>
            <code>{column}</code>: loaded <code>{textOf(column, edit.old[column] ?? null)}</code>
            {edit.kind === "update" && edit.set.has(column) && (
              <>
                , yours{" "}
                <code className="own">
                  {newText(edit.set.get(column) ?? null, (text) => textOf(column, text), source.defaultWord)}
                </code>
              </>
            )}
            {edit.kind === "delete" && ", you delete the row"}, now{" "}
            <code className="own">{textOf(column, current?.[column] ?? null)}</code>
          </p>
        ))}
      </div>
      <button type="button" className="btn sm ghost" onClick={() => onShow(edit.id)}>
        Show row
      </button>
      {current && (
        <button type="button" className="btn sm" onClick={() => edits.keepMine(edit.id)}>
          Keep mine
        </button>
      )}
      <button type="button" className="btn sm" onClick={() => onUseTheirs(edit.id)}>
        {current ? "Use theirs" : "Drop my change"}
      </button>
    </div>
  );
}

function newText(value: NewValue, textOf: (text: string) => string, defaultWord: string): string {
  if (value === DEFAULT) return defaultWord;
  return value === null ? "NULL" : textOf(value);
}

/** Returns the key of a row, to name it. */
export function nameRow(edit: RowEdit): string {
  return edit.kind === "insert"
    ? ""
    : Object.values(edit.key)
        .map((text) => text ?? "null")
        .join(", ");
}
