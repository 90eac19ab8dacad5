"use client";

import {
  Box,
  Braces,
  ChevronDown,
  ChevronRight,
  Database,
  Eye,
  Lock,
  Plus,
  RefreshCw,
  Search,
  Table2,
  X,
} from "lucide-react";
import Link from "next/link";
import { type ReactNode, useMemo, useState } from "react";
import { ColumnIcon } from "@/components/schema/column-icon";
import { Tip } from "@/components/ui/tip";
import { Tree, type TreeRow } from "@/components/ui/tree";
import { useConnectivity } from "@/components/ui/use-browser";
import { useEngineName } from "@/components/workspace/use-connection-types";
import { useConnections, useDatabases, useOpenSchemas, useSchemaRefresh } from "@/components/workspace/use-schema";
import { useWorkbench, useWorkspace } from "@/components/workspace/workspace-context";
import type { Entity } from "@/lib/client/api";
import { formatClock, formatCountShort } from "@/lib/ui/format";
import { SAMPLE_CONNECTION_NAME } from "@/lib/ui/sample-console";
import { buildSchemaRows, type SchemaNode } from "@/lib/ui/schema-rows";
import { completeStep } from "@/lib/ui/workbench";

const ENTITY_ICONS = { table: Table2, view: Eye, collection: Braces, resource: Box } as const;

/** The schema of every database of the workspace: connections, schemas, tables and columns, each level loaded when opened. */
export function SchemaSection() {
  const { workbench: workbenchStore, editors, workspace } = useWorkspace();
  const workbench = useWorkbench();
  const connections = useConnections();
  const databases = useDatabases();
  const { isOnline } = useConnectivity();
  const [isOpen, setIsOpen] = useState(true);
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const [search, setSearch] = useState<string | null>(null);
  const { refresh, isRefreshing } = useSchemaRefresh();

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
    <section className="sec-box schema-box" aria-label="Schema">
      <div className="sec">
        <button type="button" className="sec-name" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? <ChevronDown className="xs" /> : <ChevronRight className="xs" />}
          <h2>Schema</h2>
        </button>
        <span className="acts">
          <Tip label="Search tables and columns">
            <button
              type="button"
              aria-label="Search tables and columns"
              aria-pressed={search !== null}
              onClick={() => setSearch(search === null ? "" : null)}
            >
              <Search className="s" />
            </button>
          </Tip>
          <Tip label="Read the schema anew">
            <button
              type="button"
              aria-label="Read the schema anew"
              aria-disabled={isRefreshing}
              onClick={() => !isRefreshing && refresh(openIds)}
            >
              <RefreshCw className={isRefreshing ? "s turning" : "s"} />
            </button>
          </Tip>
        </span>
      </div>
      {isOpen && search !== null && (
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
      {isOpen && connections.isPending && <Bars />}
      {isOpen && connections.isError && (
        <div className="sec-note">
          <p>{connections.error.message}</p>
          <button type="button" className="btn sm" onClick={() => connections.refetch()}>
            Retry
          </button>
        </div>
      )}
      {isOpen && connections.isSuccess && databases.length === 0 && (
        <p className="sec-note">
          No database is connected to this workspace yet.{" "}
          <Link href={`/w/${workspace.slug}/connections/new`}>Add a connection</Link>
        </p>
      )}
      {isOpen && databases.length > 0 && <Tree label="Schema" rows={rows} onToggle={toggle} onActivate={activate} />}
      {isOpen && databases.length > 0 && databases.every(({ name }) => name === SAMPLE_CONNECTION_NAME) && (
        <Link className="sec-add" href={`/w/${workspace.slug}/connections/new`}>
          <Plus className="s" />
          Connect your own data
        </Link>
      )}
    </section>
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
  if (schema.isPending) return <Bars />;
  if (schema.data && !isOnline)
    return `As of ${formatClock(new Date(schema.dataUpdatedAt), false)}, before you went offline.`;
  if (schema.data?.length === 0) {
    return "No tables this user may read. Ask the database's owner to grant it select on a table or a schema.";
  }
  if (search !== "" && !hasRows) return `Nothing here is named like "${search}".`;
  return null;
}

function NodeContent({
  node,
  databases,
}: {
  node: SchemaNode;
  databases: { id: string; type: string; readOnly: boolean }[];
}) {
  const engineName = useEngineName();
  if (node.kind === "connection") {
    const connection = databases.find(({ id }) => id === node.id);
    return (
      <>
        <Database />
        <span className="trunc">{node.label}</span>
        <span className="meta">
          {connection?.readOnly && <Lock className="xs" role="img" aria-label="Read-only" />}
          {engineName(connection?.type)}
        </span>
      </>
    );
  }
  if (node.kind === "schema") {
    return (
      <>
        <Box />
        <span className="trunc">{node.label}</span>
        <span className="meta">{node.setCount}</span>
      </>
    );
  }
  if (node.kind === "entity") {
    const Icon = ENTITY_ICONS[node.entity.kind];
    const { rowEstimate, kind } = node.entity;
    return (
      <>
        <Icon />
        <span className="trunc">{node.label}</span>
        <span className="meta num">
          {rowEstimate === undefined ? (kind === "table" ? "" : kind) : formatCountShort(rowEstimate)}
        </span>
      </>
    );
  }
  return (
    <>
      <ColumnIcon type={node.column.type} isKey={node.column.primaryKey} />
      <span className="trunc">{node.label}</span>
      <span className="meta">{node.column.type.toLowerCase()}</span>
    </>
  );
}

const BAR_WIDTHS = [62, 48, 70, 40, 56, 44];

/** Six rows of bars, where tables will be. */
function Bars() {
  return (
    <div className="bars" role="status" aria-label="Reading the schema">
      {BAR_WIDTHS.map((width) => (
        <i key={width} className="bone" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
