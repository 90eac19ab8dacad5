"use client";

import { ListFilter, X } from "lucide-react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showFailure } from "@/components/ui/toast";
import { toFilteredQuery } from "@/lib/base/sql/conditions";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toConditionKind } from "@/lib/features/results/browser/column-filter";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { formatCountOf } from "@/lib/platform/browser/format";

type FiltersNoteProps = {
  source: RowsSource;
  statement: string;
  dialect: SqlDialect;
  /** The query is SQL and can be rewritten. */
  canWrite: boolean;
  onClear: () => void;
};

/** Number of filtered columns, with buttons to clear the filters or to apply them in the database. */
export function FiltersNote({ source, statement, dialect, canWrite, onClear }: FiltersNoteProps) {
  const { editors } = useWorkspace();
  const { columns } = source.arrangement;
  if (columns.length === 0) return null;
  const write = () => {
    const editor = editors.active;
    if (editor === null) return;
    const conditions = columns.flatMap((condition) => {
      const field = source.fields[condition.column];
      return field === undefined ? [] : [{ name: field.name, kind: toConditionKind(field), condition }];
    });
    const query = toFilteredQuery(statement, conditions, dialect);
    const { content } = editor.read();
    const at = content.indexOf(statement);
    if (at < 0) {
      showFailure("The query has changed. Run it again, then apply the filters.");
      return;
    }
    // The statement is already followed by a semicolon.
    const hasEnd = /^\s*;/.test(content.slice(at + statement.length));
    editor.replace(at, at + statement.length, hasEnd ? query.slice(0, -1) : query);
  };
  return (
    <>
      <FiltersCount count={columns.length} onClear={onClear} />
      {canWrite && (
        <button type="button" className="link" onClick={write}>
          Add to query
        </button>
      )}
    </>
  );
}

/** Number of filtered columns with a button to clear the filters; renders nothing for 0. */
export function FiltersCount({ count, onClear }: { count: number; onClear: () => void }) {
  if (count === 0) return null;
  return (
    <span className="filters-on">
      <ListFilter className="s" />
      {formatCountOf(count, "filter")}
      <button type="button" aria-label="Clear filters" onClick={onClear}>
        <X className="xs" />
      </button>
    </span>
  );
}
