"use client";

import type { Edited } from "@/components/grid/edit/use-edited-rows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { showFailure } from "@/components/ui/toast";
import { api } from "@/lib/features/query/browser/api";
import { DEFAULT } from "@/lib/features/results/browser/row-edits";

type Column = { index: number; field: { name: string; type: string } };

/**
 * Returns a function that reads the text in which a list or an object of a document is edited; null, with a message, if
 * it cannot be edited.
 */
export function useExactText({ source, connection, table }: Edited) {
  const { workspace } = useWorkspace();
  return async (row: number, { index, field }: Column): Promise<string | null> => {
    const key = source.storedKey(row, index);
    // A pending value is a text already.
    if (key === null) {
      const text = source.textAt(row, index);
      return text === null || text === DEFAULT ? "" : text;
    }
    const filters = Object.entries(key).map(([column, value]) => ({ column, op: "is" as const, value }));
    try {
      const ask = { table, filters, exact: [field.name], limit: 2 };
      const { rows } = await api.readTableRows(workspace.id, connection.id, ask);
      const text = rows.length === 1 ? rows[0]?.[field.name] : undefined;
      if (typeof text === "string" && text !== "") return text;
      showFailure(
        rows.length === 0
          ? "This row was deleted. Refresh the rows."
          : "This value can't be edited here. Use a console.",
      );
    } catch (error) {
      showFailure(error instanceof Error ? error.message : "Couldn't load the value. Try again.");
    }
    return null;
  };
}
