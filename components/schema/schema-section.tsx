"use client";

import {
  Box,
  Braces,
  Code,
  Copy,
  Database,
  Eye,
  FileCode2,
  Lock,
  Plus,
  RefreshCw,
  Search,
  Sigma,
  Table2,
  TextCursorInput,
  X,
} from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type ReactNode, useMemo, useState } from "react";
import { useEngineName, useFindType } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { ExplorerBars, ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import { ColumnIcon } from "@/components/schema/column-icon";
import { useConnections, useDatabases, useOpenSchemas, useSchemaRefresh } from "@/components/schema/use-schema";
import { ColourTag, type TagLook } from "@/components/ui/colour-tag";
import type { ContextItems } from "@/components/ui/context-menu";
import { copyName } from "@/components/ui/copy-text";
import { lazyComponent } from "@/components/ui/lazy-component";
import { announce } from "@/components/ui/live-region";
import { MenuItem, MenuLine } from "@/components/ui/menu";
import { showFailure, showToast } from "@/components/ui/toast";
import { Tree, type TreeRow } from "@/components/ui/tree";
import { useConnectivity } from "@/components/ui/use-browser";
import { buildSchemaRows, type SchemaNode } from "@/lib/features/connections/browser/schema-rows";
import { toTableAddress } from "@/lib/features/connections/browser/table-links";
import type { ConnectionType } from "@/lib/features/connections/schema";
import { SAMPLE_CONNECTION_NAME } from "@/lib/features/consoles/browser/sample-console";
import { completeStep } from "@/lib/features/consoles/browser/workbench";
import { api, type Entity } from "@/lib/features/query/browser/api";
import { groupDigits } from "@/lib/platform/browser/exact-number";
import { formatClock, formatCountShort } from "@/lib/platform/browser/format";
import { later } from "@/lib/platform/browser/load-again";

const loadDdlDialog = later(() => import("@/components/schema/ddl-dialog"));
const DdlDialog = lazyComponent(loadDdlDialog, (module) => module.DdlDialog);

const ENTITY_ICONS = { table: Table2, view: Eye, collection: Braces, resource: Box } as const;

const BARS = <ExplorerBars label="Loading schema" widths={[62, 48, 70, 40, 56, 44]} />;

/** Tree of the workspace's databases: connections, schemas, tables and columns, each level loaded when opened. */
export function SchemaSection() {
  const { workbench: workbenchStore, editors, workspace } = useWorkspace();
  const workbench = useWorkbench();
  const connections = useConnections();
  const databases = useDatabases();
  const { isOnline } = useConnectivity();
  const [toggled, setToggled] = useState<Record<string, boolean>>({});
  const [search, setSearch] = useState<string | null>(null);
  const [shownDdl, setShownDdl] = useState<{ connectionId: string; entity: Entity; isOpen: boolean } | null>(null);
  const { create } = useConsoleActions();
  const router = useRouter();
  const count = async (connectionId: string, { name, schema }: Entity) => {
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
      language: toLanguage(findType(each.type)),
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
    if (isDouble && (node?.kind === "entity" || node?.kind === "column")) editors.active?.insertName(node.insertText);
  };

  const connectionOf = (node: SchemaNode): string => {
    let at: SchemaNode | undefined = node;
    while (at !== undefined && at.kind !== "connection") {
      const parentId: string | null = at.parentId;
      at = nodes.find((each) => each.id === parentId);
    }
    return at?.id ?? "";
  };
  const toMenu = (id: string): ContextItems | null => {
    const node = nodes.find((each) => each.id === id);
    if (node === undefined) return null;
    const named = (
      <MenuItem icon={<Copy />} onSelect={() => void copyName(node.label)}>
        Copy name
      </MenuItem>
    );
    if (node.kind === "schema") return { about: node.label, items: named };
    if (node.kind === "connection") {
      const items = (
        <>
          <MenuItem icon={<FileCode2 />} onSelect={() => create(node.id)}>
            New console
          </MenuItem>
          <MenuItem icon={<RefreshCw />} onSelect={() => void refresh([node.id])}>
            Refresh schema
          </MenuItem>
          <MenuLine />
          {named}
        </>
      );
      return { about: node.label, items };
    }
    const insert = (
      <MenuItem icon={<TextCursorInput />} onSelect={() => editors.active?.insertName(node.insertText)}>
        Insert name
      </MenuItem>
    );
    if (node.kind === "column") {
      const items = (
        <>
          {named}
          {insert}
        </>
      );
      return { about: `${node.label}, ${node.column.type.toLowerCase()}`, items };
    }
    const { selectText } = node;
    const connectionId = connectionOf(node);
    const tellsDdl = findType(databases.find(({ id: each }) => each === connectionId)?.type)?.tellsDdl;
    const items = (
      <>
        {selectText !== null && (
          <>
            <MenuItem
              icon={<Table2 />}
              onSelect={() => router.push(toTableAddress(workspace.slug, connectionId, node.entity))}
            >
              Preview rows
            </MenuItem>
            <MenuItem icon={<Sigma />} onSelect={() => void count(connectionId, node.entity)}>
              Count rows
            </MenuItem>
            <MenuLine />
            <MenuItem icon={<FileCode2 />} onSelect={() => create(connectionId, { content: selectText })}>
              {node.entity.kind === "collection" ? "New find query" : "New SELECT query"}
            </MenuItem>
            <MenuItem icon={<TextCursorInput />} onSelect={() => editors.active?.insert(selectText)}>
              {node.entity.kind === "collection" ? "Insert find query" : "Insert SELECT query"}
            </MenuItem>
          </>
        )}
        {insert}
        <MenuLine />
        {tellsDdl && (
          <MenuItem icon={<Code />} onSelect={() => setShownDdl({ connectionId, entity: node.entity, isOpen: true })}>
            Show DDL
          </MenuItem>
        )}
        {named}
      </>
    );
    return { about: node.label, items };
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

  const shownConnection = databases.find(({ id }) => id === shownDdl?.connectionId);
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
          label: "Refresh schema",
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
            placeholder="Search tables and columns"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setSearch(null)}
          />
          <button type="button" aria-label="Close search" onClick={() => setSearch(null)}>
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
          No databases connected yet. <Link href={`/w/${workspace.slug}/connections/new`}>Add a connection</Link>
        </p>
      )}
      {databases.length > 0 && (
        <Tree label="Schema" rows={rows} onToggle={toggle} onActivate={activate} toMenu={toMenu} />
      )}
      {shownDdl !== null && shownConnection !== undefined && (
        <DdlDialog
          connection={shownConnection}
          table={shownDdl.entity}
          isOpen={shownDdl.isOpen}
          onClose={() => setShownDdl({ ...shownDdl, isOpen: false })}
        />
      )}
      {databases.length > 0 && databases.every(({ name }) => name === SAMPLE_CONNECTION_NAME) && (
        <Link className="sec-add" href={`/w/${workspace.slug}/connections/new`}>
          <Plus className="s" />
          Connect data
        </Link>
      )}
    </ExplorerSection>
  );
}

function toLanguage(type: ConnectionType | null) {
  return type?.dialect ?? (type?.language === "mongodb" ? "mongodb" : null);
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

/** Returns the note under an open connection that replaces or precedes its tables; null if none is needed. */
function toNote(schema: SchemaQuery, search: string, hasRows: boolean, isOnline: boolean): ReactNode | null {
  if (schema.error && !schema.data) return schema.error.message;
  if (schema.isPending) return BARS;
  if (schema.data && !isOnline)
    return `As of ${formatClock(new Date(schema.dataUpdatedAt), false)}, the last successful refresh.`;
  if (schema.data?.length === 0) {
    return "This database user can't read any table. Grant it SELECT on a table or schema.";
  }
  if (search !== "" && !hasRows) return `No matches for "${search}".`;
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
