"use client";

import { useMemo, useState } from "react";
import { useFindType } from "@/components/connections/use-connection-types";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { NodeContent } from "@/components/schema/schema-node";
import { toNote, toNoteRow } from "@/components/schema/schema-note";
import { useDatabases, useOpenSchemas } from "@/components/schema/use-schema";
import type { TreeRow } from "@/components/ui/tree";
import { useConnectivity } from "@/components/ui/use-browser";
import { buildSchemaRows } from "@/lib/features/connections/browser/schema-rows";
import type { ConnectionType } from "@/lib/features/connections/schema";
import { completeStep } from "@/lib/features/consoles/browser/workbench";

/**
 * Returns the rows of the schema tree. The schema of a connection is loaded when the connection is opened.
 * @param search part of a table's or column's name; empty for the whole tree
 */
export function useSchemaTree(search: string, refresh: (connectionIds: string[]) => Promise<unknown>) {
  const { workbench: workbenchStore } = useWorkspace();
  const workbench = useWorkbench();
  const databases = useDatabases();
  const { isOnline } = useConnectivity();
  const findType = useFindType();
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const firstId = databases[0]?.id;
  const openIds = databases.map(({ id }) => id).filter((id) => toggled[id] ?? id === firstId);
  const schemas = useOpenSchemas(openIds);
  const byConnection = new Map(openIds.map((id, i) => [id, schemas[i]]));
  const nodes = buildSchemaRows(
    databases.map((each) => ({
      id: each.id,
      name: each.name,
      isOpen: openIds.includes(each.id),
      entities: byConnection.get(each.id)?.data ?? null,
      language: toLanguage(findType(each.type)),
    })),
    toggled,
    search,
  );
  const find = (id: string) => nodes.find((each) => each.id === id);
  const toggle = (id: string) => {
    const node = find(id);
    setToggled({ ...toggled, [id]: !node?.isExpanded });
    if (node?.kind === "entity" && !node.isExpanded && workbench)
      workbenchStore.change((each) => completeStep(each, "table"));
  };
  const rows = useMemo(() => {
    const schemaOf = new Map(openIds.map((id, i) => [id, schemas[i]]));
    return nodes.flatMap((node): TreeRow[] => {
      const row: TreeRow = { ...node, content: <NodeContent node={node} databases={databases} /> };
      const schema = node.kind === "connection" && node.isExpanded ? schemaOf.get(node.id) : undefined;
      if (!schema) return [row];
      const hasRows = nodes.some((each) => each.parentId === node.id);
      const note = toNote(schema, search, hasRows, isOnline);
      if (note === null) return [row];
      return [row, toNoteRow(row, note, schema.error ? () => refresh([node.id]) : null)];
    });
  }, [nodes, databases, openIds, schemas, search, isOnline, refresh]);
  return { nodes, rows, openIds, find, toggle };
}

function toLanguage(type: ConnectionType | null) {
  return type?.dialect ?? (type?.language === "mongodb" ? "mongodb" : null);
}
