"use client";

import { Box, Braces, Database, Eye, Lock, Plus, RefreshCw, Search, Table2, X } from "lucide-react";
import Link from "next/link";
import { type ReactNode, useMemo, useState } from "react";
import { ColumnIcon } from "@/components/schema/column-icon";
import { ColourTag, type TagLook } from "@/components/ui/colour-tag";
import { Tree, type TreeRow } from "@/components/ui/tree";
import { useConnectivity } from "@/components/ui/use-browser";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/workspace/explorer-section";
import { useEngineName, useFindType } from "@/components/workspace/use-connection-types";
import { useConnections, useDatabases, useOpenSchemas, useSchemaRefresh } from "@/components/workspace/use-schema";
import { useWorkbench, useWorkspace } from "@/components/workspace/workspace-context";
import type { Entity } from "@/lib/client/api";
import { formatClock, formatCountShort } from "@/lib/ui/format";
import { SAMPLE_CONNECTION_NAME } from "@/lib/ui/sample-console";
import { buildSchemaRows, type SchemaNode } from "@/lib/ui/schema-rows";
import { completeStep } from "@/lib/ui/workbench";

const ENTITY_ICONS = { table: Table2, view: Eye, collection: Braces, resource: Box } as const;

const BARS = <ExplorerBars label="Reading the schema" widths={[62, 48, 70, 40, 56, 44]} />;

/** The schema of every database of the workspace: connections, schemas, tables and columns, each level loaded when opened. */
export function SchemaSection() {
  const { workbench: workbenchStore, editors, workspace } = useWorkspace();
  const workbench = useWorkbench();
  const connections = useConnections();
  const databases = useDatabases();
  const { isOnline } = useConnectivity();
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const [search, setSearch] = useState<string | null>(null);
  const { refresh, isRefreshing } = useSchemaRefresh();

  const firstId = databases[0]?.id;
  const openIds = databases.map(({ id }) => id).filter((id) => toggled[id] ?? id === firstId);
  const schemas = useOpenSchemas(openIds);
  const byConnection = new Map(openIds.map((id, i) => [id, schemas[i]]));
  const findType = useFindType();
  const nodes = buildSchemaRows(
    databases.map((each) => ({
      id: each.id,
      name: each.name,
      isOpen: openIds.includes(each.id),
      entities: byConnection.get(each.id)?.data ?? null,
      dialect: findType(each.type)?.dialect ?? null,
    })),
    toggled,
    search ?? "",
  );

  const toggle = (id: string) => {
    const node = nodes.find((each) => each.id === id);
    setToggled({ ...toggled, [id]: !node?.isExpanded });
    if (node?.kind === "entity" && !node.isExpanded && workbench)
      workbenchStore.change((each) => completeStep(each, "table"));
  };
  const activate = (id: string, isDouble: boolean) => {
    const node = nodes.find((each) => each.id === id);
    if (isDouble && (node?.kind === "entity" || node?.kind === "column")) editors.active?.insert(node.insertText);
  };

  const rows = useMemo(() => {
    const schemaOf = new Map(openIds.map((id, i) => [id, schemas[i]]));
    return nodes.flatMap((node): TreeRow[] => {
      const row: TreeRow = { ...node, content: <NodeContent node={node} databases={databases} /> };
      const schema = node.kind === "connection" && node.isExpanded ? schemaOf.get(node.id) : undefined;
      if (!schema) return [row];
      const note = toNote(
        schema,
        search ?? "",
        nodes.some((each) => each.parentId === node.id),
        isOnline,
      );
      if (note === null) return [row];
      return [row, toNoteRow(row, note, schema.error ? () => refresh([node.id]) : null)];
    });
  }, [nodes, databases, openIds, schemas, search, isOnline, refresh]);

  return (
    <ExplorerSection
      title="Schema"
      className="schema-box"
      acts={[
        {
          label: "Search tables and columns",
          icon: <Search className="s" />,
          onPress: () => setSearch(search === null ? "" : null),
          isPressed: search !== null,
        },
        {
          label: "Read the schema anew",
          icon: <RefreshCw className={isRefreshing ? "s turning" : "s"} />,
          onPress: () => void refresh(openIds),
          isDisabled: isRefreshing,
        },
      ]}
    >
      {search !== null && (
        <div className="input xs quiet sec-find">
          <Search className="s t3" />
          <input
            // biome-ignore lint/a11y/noAutofocus: the field appears because it was asked for
            autoFocus
            aria-label="Search tables and columns"
            placeholder="Tables and columns"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setSearch(null)}
          />
          <button type="button" aria-label="Close the search" onClick={() => setSearch(null)}>
            <X className="s" />
          </button>
        </div>
      )}
      {connections.isPending && BARS}
      {connections.isError && (
        <ExplorerFailure message={connections.error.message} onRetry={() => void connections.refetch()} />
      )}
      {connections.isSuccess && databases.length === 0 && (
        <p className="sec-note">
          No database is connected to this workspace yet.{" "}
          <Link href={`/w/${workspace.slug}/connections/new`}>Add a connection</Link>
        </p>
      )}
      {databases.length > 0 && <Tree label="Schema" rows={rows} onToggle={toggle} onActivate={activate} />}
      {databases.length > 0 && databases.every(({ name }) => name === SAMPLE_CONNECTION_NAME) && (
        <Link className="sec-add" href={`/w/${workspace.slug}/connections/new`}>
          <Plus className="s" />
          Connect your own data
        </Link>
      )}
    </ExplorerSection>
  );
}

function toNoteRow(under: TreeRow, note: ReactNode, onRetry: (() => void) | null): TreeRow {
  const content = <SchemaNote note={note} onRetry={onRetry} />;
  return { ...under, id: `${under.id}-note`, parentId: under.id, level: 1, isNote: true, content };
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

/** What stands under an open connection instead of, or before, its tables; null when the tables say it all. */
function toNote(schema: SchemaQuery, search: string, hasRows: boolean, isOnline: boolean): ReactNode | null {
  if (schema.error && !schema.data) return schema.error.message;
  if (schema.isPending) return BARS;
  if (schema.data && !isOnline)
    return `As of ${formatClock(new Date(schema.dataUpdatedAt), false)}, before you went offline.`;
  if (schema.data?.length === 0) {
    return "No tables this user may read. Ask the database's owner to grant it select on a table or a schema.";
  }
  if (search !== "" && !hasRows) return `Nothing here is named like "${search}".`;
  return null;
}

type NodeContentProps = {
  node: SchemaNode;
  databases: { id: string; type: string; readOnly: boolean; tag: TagLook | null }[];
};

function NodeContent({ node, databases }: NodeContentProps) {
  const engineName = useEngineName();
  switch (node.kind) {
    case "connection": {
      const connection = databases.find(({ id }) => id === node.id);
      const lock = connection?.readOnly && <Lock className="xs" role="img" aria-label="Read-only" />;
      return (
        <NodeRow icon={<Database />} label={node.label}>
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

/** What any node of the schema shows: its icon, its name, and a fact at the end. */
function NodeRow({ icon, label, isNumber = false, children }: NodeRowProps) {
  return (
    <>
      {icon}
      <span className="trunc">{label}</span>
      <span className={isNumber ? "meta num" : "meta"}>{children}</span>
    </>
  );
}
