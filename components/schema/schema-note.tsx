"use client";

import type { ReactNode } from "react";
import { ExplorerBars } from "@/components/layout/explorer-section";
import type { TreeRow } from "@/components/ui/tree";
import type { Entity } from "@/lib/base/values/fields";
import { formatClock } from "@/lib/platform/browser/format";

const LOADING = "Loading schema";
export const SCHEMA_BARS = <ExplorerBars label={LOADING} widths={[62, 48, 70, 40, 56, 44]} />;

/** Returns a row below another that only informs. */
export function toNoteRow(under: TreeRow, note: ReactNode, onRetry: (() => void) | null): TreeRow {
  const content = <SchemaNote note={note} onRetry={onRetry} />;
  return {
    ...under,
    id: `${under.id}-note`,
    parentId: under.id,
    level: 1,
    isNote: true,
    ...(note === SCHEMA_BARS && { noteLabel: LOADING }),
    content,
  };
}

function SchemaNote({ note, onRetry }: { note: ReactNode; onRetry: (() => void) | null }) {
  return (
    <>
      {note}
      {onRetry && (
        <div className="row">
          <button type="button" className="btn sm" onClick={onRetry}>
            Retry
          </button>
        </div>
      )}
    </>
  );
}

type SchemaQuery = { data?: Entity[]; error: Error | null; isPending: boolean; dataUpdatedAt: number };

/** Returns the note under an open connection that replaces or precedes its tables; null if none is needed. */
export function toNote(schema: SchemaQuery, search: string, hasRows: boolean, isOnline: boolean): ReactNode | null {
  if (schema.error && !schema.data) return schema.error.message;
  if (schema.isPending) return SCHEMA_BARS;
  if (schema.data && !isOnline)
    return `As of ${formatClock(new Date(schema.dataUpdatedAt), false)}, the last successful refresh.`;
  if (schema.data?.length === 0) {
    return "This database user can't read any table. Grant it SELECT on a table or schema.";
  }
  if (search !== "" && !hasRows) return `No matches for "${search}".`;
  return null;
}
