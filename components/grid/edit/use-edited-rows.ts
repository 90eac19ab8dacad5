"use client";

import { useCallback, useMemo, useSyncExternalStore } from "react";
import { useFindType } from "@/components/connections/use-connection-types";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Entity } from "@/lib/base/values/fields";
import type { Connection } from "@/lib/features/connections/schema";
import { EditedRows } from "@/lib/features/results/browser/edited-rows";
import { RowEdits } from "@/lib/features/results/browser/row-edits";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";

type EditedProps = {
  base: RowsSource;
  connection: Connection | null;
  table: { name: string; schema?: string };
  entity: Entity | null;
};

/** Rows of a table that can be edited. */
export type Edited = {
  source: EditedRows;
  connection: Connection;
  table: EditedProps["table"];
  entity: Entity;
};

/** Pending changes by table. They outlive the view, which unmounts when another page opens. */
const memory = new Map<string, RowEdits>();

/** Asks before the page is left with pending changes of any table. */
function warn(event: BeforeUnloadEvent): void {
  if ([...memory.values()].some((edits) => !edits.isEmpty)) event.preventDefault();
}

/** Returns the pending changes of a table. @param table unique among all workspaces */
function editsOf(table: string): RowEdits {
  const known = memory.get(table);
  if (known) return known;
  if (memory.size === 0 && typeof window !== "undefined") addEventListener("beforeunload", warn);
  const edits = new RowEdits();
  memory.set(table, edits);
  return edits;
}

/** Returns the rows of a table with their pending changes; null if they cannot be edited. */
export function useEditedRows({ base, connection, table, entity }: EditedProps): Edited | null {
  const { workspace } = useWorkspace();
  const type = useFindType()(connection?.type);
  const areDocuments = type?.editsDocuments === true;
  const canEdit = type?.editsRows === true && connection?.readOnly === false;
  const columns = (entity?.columns ?? []).filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  // Every document has an _id, even if the fields of its collection were not read.
  const key = areDocuments ? ["_id"] : columns;
  const names = key.join("\n");
  const edits = editsOf(`${workspace.id}/${connection?.id}/${table.schema ?? ""}/${table.name}`);
  const source = useMemo(
    () => new EditedRows(base, edits, names.split("\n"), areDocuments),
    [base, edits, names, areDocuments],
  );
  const readVersion = useCallback(() => edits.version, [edits]);
  useSyncExternalStore(edits.subscribe, readVersion, readVersion);
  const kind = areDocuments ? "collection" : "table";
  if (!canEdit || !connection || entity?.kind !== kind || key.length === 0) return null;
  return { source, connection, table, entity };
}
