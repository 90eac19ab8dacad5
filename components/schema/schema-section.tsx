"use client";

import { FileUp, Plus, RefreshCw, Search, X } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ExplorerFailure, ExplorerSection } from "@/components/layout/explorer-section";
import { useWorkspace } from "@/components/layout/workspace-context";
import { SchemaMenu, toMenuTitle } from "@/components/schema/schema-menu";
import { SCHEMA_BARS } from "@/components/schema/schema-note";
import { useConnections, useDatabases, useSchemaRefresh } from "@/components/schema/use-schema";
import { useSchemaTree } from "@/components/schema/use-schema-tree";
import type { ContextItems } from "@/components/ui/context-menu";
import { lazyComponent } from "@/components/ui/lazy-component";
import { LoadMore } from "@/components/ui/load-more";
import { Tree } from "@/components/ui/tree";
import type { Entity } from "@/lib/base/values/fields";
import { toConnectionId } from "@/lib/features/connections/browser/schema-rows";
import { SAMPLE_CONNECTION_NAME } from "@/lib/features/consoles/browser/sample-console";
import { later } from "@/lib/platform/browser/load-again";

const loadDdlDialog = later(() => import("@/components/schema/ddl-dialog"));
const DdlDialog = lazyComponent(loadDdlDialog, (module) => module.DdlDialog);
const loadDeleteTable = later(() => import("@/components/schema/delete-table"));
const DeleteTable = lazyComponent(loadDeleteTable, (module) => module.DeleteTable);

/** Table of which a dialog shows something. */
type ShownTable = { connectionId: string; entity: Entity; isOpen: boolean };

/** Tree of the workspace's databases: connections, schemas, tables and columns, each level loaded when opened. */
export function SchemaSection() {
  const { editors, workspace } = useWorkspace();
  const router = useRouter();
  const connections = useConnections();
  const databases = useDatabases();
  const { refresh, isRefreshing } = useSchemaRefresh();
  const [search, setSearch] = useState<string | null>(null);
  const [shownDdl, setShownDdl] = useState<ShownTable | null>(null);
  const [deleted, setDeleted] = useState<ShownTable | null>(null);
  const tree = useSchemaTree(search ?? "", refresh);
  const activate = (id: string, isDouble: boolean) => {
    const node = tree.find(id);
    if (isDouble && (node?.kind === "entity" || node?.kind === "column")) editors.active?.insertName(node.insertText);
  };
  const toMenu = (id: string): ContextItems | null => {
    const node = tree.find(id);
    if (node === undefined) return null;
    const items = (
      <SchemaMenu
        node={node}
        connectionId={toConnectionId(tree.nodes, node)}
        onRefresh={(connectionId) => void refresh([connectionId])}
        onShowDdl={(connectionId, entity) => setShownDdl({ connectionId, entity, isOpen: true })}
        onDelete={(connectionId, entity) => setDeleted({ connectionId, entity, isOpen: true })}
      />
    );
    return { about: toMenuTitle(node), items };
  };
  const shownConnection = databases.find(({ id }) => id === shownDdl?.connectionId);
  const deletedFrom = databases.find(({ id }) => id === deleted?.connectionId);
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
          label: "Import file",
          icon: <FileUp className="s" />,
          onPress: () => router.push(`/w/${workspace.slug}/connections/import`),
        },
        {
          label: "Refresh schema",
          icon: <RefreshCw className={isRefreshing ? "s turning" : "s"} />,
          onPress: () => void refresh(tree.openIds),
          isDisabled: isRefreshing,
        },
      ]}
    >
      {search !== null && <SearchField value={search} onChange={setSearch} />}
      {connections.isPending && SCHEMA_BARS}
      {connections.isError && (
        <ExplorerFailure message={connections.error.message} onRetry={() => void connections.refetch()} />
      )}
      {connections.isSuccess && databases.length === 0 && (
        <p className="sec-note">
          No databases connected yet. <Link href={`/w/${workspace.slug}/connections/new`}>Add a connection</Link>
        </p>
      )}
      {databases.length > 0 && (
        <Tree label="Schema" rows={tree.rows} onToggle={tree.toggle} onActivate={activate} toMenu={toMenu} />
      )}
      <LoadMore pages={connections} label="Show more connections" className="sec-add" />
      {shownDdl !== null && shownConnection !== undefined && (
        <DdlDialog
          connection={shownConnection}
          table={shownDdl.entity}
          isOpen={shownDdl.isOpen}
          onClose={() => setShownDdl({ ...shownDdl, isOpen: false })}
        />
      )}
      {deleted !== null && deletedFrom !== undefined && (
        <DeleteTable
          key={deleted.entity.name}
          connection={deletedFrom}
          table={deleted.entity.name}
          isOpen={deleted.isOpen}
          onClose={() => setDeleted({ ...deleted, isOpen: false })}
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

/** @param onChange called with null when the search is closed */
function SearchField({ value, onChange }: { value: string; onChange: (value: string | null) => void }) {
  return (
    <div className="input xs quiet sec-find">
      <Search className="s t3" />
      <input
        // biome-ignore lint/a11y/noAutofocus: the field appears because it was asked for
        autoFocus
        aria-label="Search tables and columns"
        placeholder="Search tables and columns"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && onChange(null)}
      />
      <button type="button" aria-label="Close search" onClick={() => onChange(null)}>
        <X className="s" />
      </button>
    </div>
  );
}
