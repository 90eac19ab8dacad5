"use client";

import { ListFilter, X } from "lucide-react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showFailure } from "@/components/ui/toast";
import { toFilteredQuery } from "@/lib/base/sql/conditions";
import type { SqlDialect } from "@/lib/base/sql/dialects";
import { toConditionKind } from "@/lib/features/results/browser/column-filter";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";

type FiltersNoteProps = {
  source: RowsSource;
  statement: string;
  dialect: SqlDialect;
  /** The query is SQL, and can be written anew. */
  canWrite: boolean;
  onClear: () => void;
};

/** How many columns are filtered, the way to be rid of it, and the one to have the database do it. */
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
      showFailure("The query has changed since it ran. Run it again, then put the filters in.");
      return;
    }
    // The statement's own semicolon stands behind it.
    const hasEnd = /^\s*;/.test(content.slice(at + statement.length));
    editor.replace(at, at + statement.length, hasEnd ? query.slice(0, -1) : query);
  };
  return (
    <>
      <FiltersCount count={columns.length} onClear={onClear} />
      {canWrite && (
        <button type="button" className="link" onClick={write}>
          Put them in the query
        </button>
      )}
    </>
  );
}

/** How many columns are filtered, and the way to be rid of it; nothing for none. */
export function FiltersCount({ count, onClear }: { count: number; onClear: () => void }) {
  if (count === 0) return null;
  return (
    <span className="filters-on">
      <ListFilter className="s" />
      {count === 1 ? "1 filter" : `${count} filters`}
      <button type="button" aria-label="Take all filters off" onClick={onClear}>
        <X className="xs" />
      </button>
    </span>
  );
}
