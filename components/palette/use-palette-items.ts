"use client";

import { useQuery } from "@tanstack/react-query";
import { Database, Eye, FileCode2, LayoutDashboard, type LucideIcon, Table2, User, Workflow } from "lucide-react";
import { useMemo } from "react";
import { useConnectionTypes, useEngineName, useFindType } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useConsoleList } from "@/components/consoles/use-consoles";
import { useDashboardList } from "@/components/dashboards/use-dashboards";
import { useFlows } from "@/components/flows/use-flows";
import { useWorkbench, useWorkspace } from "@/components/layout/workspace-context";
import type { Command } from "@/components/palette/command-store";
import { useConnections, useDatabases, useOpenSchemas } from "@/components/schema/use-schema";
import { useWorkspaceDetails } from "@/components/settings/use-settings";
import { useLater } from "@/components/ui/use-later";
import { toSqlName } from "@/lib/base/sql/names";
import type { Connection } from "@/lib/features/connections/schema";
import { consoleApi } from "@/lib/features/consoles/browser/client";
import { FLOW_TYPE_WORDS } from "@/lib/features/flows/browser/flow-words";
import { toTrail } from "@/lib/features/folders/browser/item-tree";
import type { PaletteItem, PaletteKind } from "@/lib/features/workspaces/browser/palette-items";
import { formatCountShort } from "@/lib/platform/browser/format";

export type Choice = PaletteItem & {
  icon: LucideIcon;
  keys?: string;
  open: () => void;
  /** Opens and runs it; undefined if there is nothing to run. */
  start?: () => void;
  /** Opens it in another pane. @returns the pane's name */
  openBeside?: () => string;
};

/**
 * Number of characters from which the server is queried for consoles by their texts, and the pause in typing before it
 * is.
 */
const SEARCH_FROM = 2;
const SEARCH_AFTER_MS = 150;
/** Maximum number of databases to load tables from; loading all of a large workspace would keep them busy. */
const DATABASES_MAX = 8;
const BESIDE = "a tab to the side";

/** Returns the palette's choices for a search, and the kinds for which more may arrive. */
export function usePaletteItems(
  search: string,
  commands: Command[],
  goTo: (path: string) => void,
): { choices: Choice[]; awaited: ReadonlySet<PaletteKind> } {
  const { workspace, editors, workbench: store } = useWorkspace();
  const { open, start, openBeside, create } = useConsoleActions();
  const workbench = useWorkbench();
  const { data: list, isLoading: isListLoading } = useConsoleList();
  const { isLoading: areConnectionsLoading } = useConnections();
  const databases = useDatabases();
  const flowList = useFlows();
  const dashboardList = useDashboardList();
  const details = useWorkspaceDetails();
  const asked = useLater(search, SEARCH_AFTER_MS);
  const hits = useQuery({
    queryKey: ["console-search", workspace.id, asked],
    queryFn: ({ signal }) => consoleApi.search(workspace.id, asked, signal),
    enabled: asked.length >= SEARCH_FROM,
  });
  const engineName = useEngineName();
  const findType = useFindType();
  const types = useConnectionTypes();
  const schemas = useOpenSchemas(databases.slice(0, DATABASES_MAX).map(({ id }) => id));
  const root = `/w/${workspace.slug}`;

  const consoles = useMemo((): Choice[] => {
    const toOpenings = (id: string) => ({
      open: () => open(id),
      start: () => start(id),
      openBeside: () => {
        openBeside(id);
        return BESIDE;
      },
    });
    const snippets = new Map(hits.data?.map((hit) => [hit.id, hit]));
    const tabs = workbench?.tabs ?? [];
    const recency = (id: string) => {
      const at = tabs.indexOf(id);
      return at < 0 ? tabs.length : at;
    };
    const unsaved = (workbench?.consoles ?? []).map(
      (each): Choice => ({
        id: each.id,
        kind: "console",
        name: each.name,
        detail: "Unsaved",
        words: each.content,
        icon: FileCode2,
        ...toOpenings(each.id),
      }),
    );
    const saved = (list ?? []).map((each): Choice => {
      const hit = snippets.get(each.id);
      const folders = toTrail(each.path).join(" / ");
      const place = folders || (each.access === "private" ? "Private" : "Workspace");
      return {
        id: each.id,
        kind: "console",
        name: each.name,
        detail: hit?.snippet ? `${place}, line ${hit.snippet.line}: ${hit.snippet.text}` : place,
        isHit: hit !== undefined,
        icon: FileCode2,
        ...toOpenings(each.id),
      };
    });
    const updated = new Map(list?.map((each) => [each.id, each.updatedAt]));
    return [...unsaved, ...saved].sort(
      (a, b) => recency(a.id) - recency(b.id) || (updated.get(b.id) ?? "").localeCompare(updated.get(a.id) ?? ""),
    );
  }, [hits.data, list, workbench?.tabs, workbench?.consoles, open, start, openBeside]);

  const toName = ({ type }: Connection, table: string) => {
    const dialect = findType(type)?.dialect;
    return dialect ? toSqlName(table, dialect) : table;
  };
  const toFirstLook = (database: Connection, table: string) =>
    findType(database.type)?.dialect
      ? { name: `${table}.sql`, content: firstLook(toName(database, table)) }
      : { name: `${table}.mongodb`, content: firstLookAtCollection(table) };
  const tables = databases.slice(0, DATABASES_MAX).flatMap((database, i) =>
    // The kind of the connection decides how a table is queried.
    (types.data === undefined ? [] : (schemas[i]?.data ?? [])).map(
      (entity): Choice => ({
        id: `${database.id}/${entity.schema ?? ""}/${entity.name}`,
        kind: "table",
        name: entity.name,
        detail: toTableDetail(database.name, entity.kind, entity.rowEstimate),
        icon: entity.kind === "view" ? Eye : Table2,
        open: () => {
          const editor = editors.active;
          // The previous one may still be shown while the address changes.
          const isOpen = editor !== null && editor.consoleId === store.read()?.lastActiveId;
          // An editor with text gets the table's name; otherwise a query of the first rows opens.
          if (isOpen && editor.read().content.trim() !== "") editor.insertName(toName(database, entity.name));
          else create(database.id, toFirstLook(database, entity.name));
        },
        start: () => start(create(database.id, toFirstLook(database, entity.name))),
        openBeside: () => {
          create(database.id, { ...toFirstLook(database, entity.name), isBeside: true });
          return BESIDE;
        },
      }),
    ),
  );
  // Only consoles have tabs here.
  const toPlace = (path: string) => ({
    open: () => goTo(path),
    openBeside: () => {
      window.open(path, "_blank", "noopener");
      return "a browser tab";
    },
  });
  const connections = databases.map(
    (database): Choice => ({
      id: database.id,
      kind: "connection",
      name: database.name,
      detail: engineName(database.type),
      icon: Database,
      ...toPlace(`${root}/connections/${database.id}`),
    }),
  );
  const flows = (flowList.data ?? []).map(
    ({ id, name, type }): Choice => ({
      id,
      kind: "flow",
      name,
      detail: FLOW_TYPE_WORDS[type],
      icon: Workflow,
      ...toPlace(`${root}/flows/${id}`),
    }),
  );
  const dashboards = (dashboardList.data ?? []).map(
    ({ id, title, path, access }): Choice => ({
      id,
      kind: "dashboard",
      name: title,
      detail: toTrail(path).join(" / ") || (access === "private" ? "Private" : "Workspace"),
      icon: LayoutDashboard,
      ...toPlace(`${root}/dashboards/${id}`),
    }),
  );
  const people = (details.data?.members ?? []).map(
    (member): Choice => ({
      id: member.userId,
      kind: "person",
      name: member.name || member.email,
      detail: `${member.email}, ${member.role}`,
      icon: User,
      ...toPlace(`${root}/settings/members`),
    }),
  );
  const actions = commands.map(
    ({ id, name, detail, icon, keys, run }): Choice => ({
      id,
      kind: "action",
      name,
      detail: detail ?? "",
      icon,
      keys,
      open: run,
    }),
  );
  const areTextsAsked = search.length >= SEARCH_FROM && (search !== asked || hits.isFetching);
  const awaited = new Set<PaletteKind>();
  if (isListLoading || areTextsAsked) awaited.add("console");
  if (areConnectionsLoading) awaited.add("connection");
  if (areConnectionsLoading || types.isLoading || schemas.some(({ isLoading }) => isLoading)) awaited.add("table");
  if (flowList.isLoading) awaited.add("flow");
  if (dashboardList.isLoading) awaited.add("dashboard");
  if (details.isLoading) awaited.add("person");
  return { choices: [...consoles, ...dashboards, ...tables, ...connections, ...flows, ...people, ...actions], awaited };
}

function toTableDetail(database: string, kind: string, rows: number | undefined): string {
  if (kind !== "table") return `${database}, ${kind}`;
  return rows === undefined ? database : `${database}, ${formatCountShort(rows)} ${rows === 1 ? "row" : "rows"}`;
}

function firstLook(table: string): string {
  return `select *\nfrom ${table}\nlimit 100;`;
}

function firstLookAtCollection(name: string): string {
  return `db.getCollection(${JSON.stringify(name)}).find().limit(100)`;
}
