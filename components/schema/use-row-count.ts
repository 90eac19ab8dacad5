"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { showFailure, showToast } from "@/components/ui/toast";
import type { Entity } from "@/lib/base/values/fields";
import { api } from "@/lib/features/query/browser/api";
import { groupDigits } from "@/lib/platform/browser/exact-number";

/** Returns a function that counts a table's rows and shows the result as a toast. */
export function useRowCount(): (connectionId: string, entity: Entity) => Promise<void> {
  const { workspace } = useWorkspace();
  return async (connectionId, { name, schema }) => {
    try {
      const table = { name, ...(schema && { schema }) };
      const answer = await api.countTableRows(workspace.id, connectionId, { table });
      const text = `${groupDigits(String(answer.count))} ${answer.count === 1 ? "row" : "rows"} in ${name}`;
      announce(text);
      showToast(text, { id: `count-${connectionId}-${name}` });
    } catch (error) {
      showFailure(error instanceof Error ? error.message : "Couldn't count rows. Try again.");
    }
  };
}
