"use client";

import { Box, Braces, Eye, Lock, Table2 } from "lucide-react";
import type { ReactNode } from "react";
import { TypeIcon } from "@/components/connections/type-icon";
import { useEngineName } from "@/components/connections/use-connection-types";
import { ColumnIcon } from "@/components/schema/column-icon";
import { ColourTag, type TagLook } from "@/components/ui/colour-tag";
import type { SchemaNode } from "@/lib/features/connections/browser/schema-rows";
import { formatCountShort } from "@/lib/platform/browser/format";

const ENTITY_ICONS = { table: Table2, view: Eye, collection: Braces, resource: Box } as const;

type NodeContentProps = {
  node: SchemaNode;
  databases: { id: string; type: string; readOnly: boolean; tag: TagLook | null }[];
};

/** Content of a row of the schema tree. */
export function NodeContent({ node, databases }: NodeContentProps) {
  const engineName = useEngineName();
  switch (node.kind) {
    case "connection": {
      const connection = databases.find(({ id }) => id === node.id);
      const lock = connection?.readOnly && <Lock className="xs" role="img" aria-label="Read-only" />;
      return (
        <NodeRow icon={<TypeIcon type={connection?.type} />} label={node.label}>
          {lock}
          {connection?.tag ? <ColourTag tag={connection.tag} /> : engineName(connection?.type)}
        </NodeRow>
      );
    }
    case "schema":
      return (
        <NodeRow icon={<Box />} label={node.label}>
          {node.setCount}
        </NodeRow>
      );
    case "entity": {
      const Icon = ENTITY_ICONS[node.entity.kind];
      const { rowEstimate, kind } = node.entity;
      return (
        <NodeRow icon={<Icon />} label={node.label} isNumber>
          {rowEstimate === undefined ? (kind === "table" ? "" : kind) : formatCountShort(rowEstimate)}
        </NodeRow>
      );
    }
    case "column": {
      const { type, primaryKey } = node.column;
      return (
        <NodeRow icon={<ColumnIcon type={type} isKey={primaryKey} />} label={node.label}>
          {type.toLowerCase()}
        </NodeRow>
      );
    }
  }
}

type NodeRowProps = { icon: ReactNode; label: string; isNumber?: boolean; children: ReactNode };

/** Content of a schema node: its icon, its name, and a fact at the end. */
function NodeRow({ icon, label, isNumber = false, children }: NodeRowProps) {
  return (
    <>
      {icon}
      <span className="trunc">{label}</span>
      <span className={isNumber ? "meta num" : "meta"}>{children}</span>
    </>
  );
}
