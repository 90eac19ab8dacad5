import { toShellFind } from "@/lib/base/mongo-shell/find";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { toSqlName, toSqlTable } from "@/lib/base/sql/names";
import type { Entity, EntityColumn } from "@/lib/base/values/fields";
import type { TreeNode } from "@/lib/platform/browser/tree-node";

/**
 * A connection in the schema tree. `entities` is null until loaded. `dialect` is absent for connections without SQL,
 * whose names are written without quotes.
 */
export type SchemaSource = {
  id: string;
  name: string;
  isOpen: boolean;
  entities: Entity[] | null;
  language: SqlDialect | "mongodb" | null;
};

export type SchemaNode = TreeNode &
  (
    | { kind: "connection" }
    | { kind: "schema"; setCount: number }
    /** `selectText` reads the first rows, column by column; null for connections without SQL. */
    | { kind: "entity"; entity: Entity; insertText: string; selectText: string | null }
    | { kind: "column"; column: EntityColumn; insertText: string }
  );

/**
 * Returns the visible rows of the schema tree, top to bottom. A connection with one schema shows its tables at once.
 * Several schemas get a level for themselves.
 * @param toggled rows that a person has opened or closed, by row id; a single schema and search hits are open by
 * default
 * @param search part of a table's or column's name; the tree then holds only matches
 */
export function buildSchemaRows(
  sources: SchemaSource[],
  toggled: Record<string, boolean>,
  search: string,
): SchemaNode[] {
  const wanted = search.trim().toLowerCase();
  const rows: SchemaNode[] = [];
  sources.forEach((source, i) => {
    rows.push({
      kind: "connection",
      id: source.id,
      parentId: null,
      level: 0,
      label: source.name,
      isExpanded: source.isOpen,
      positionInSet: i + 1,
      setSize: sources.length,
    });
    if (source.isOpen && source.entities !== null) addSource(rows, source, source.entities, { toggled, wanted });
  });
  return rows;
}

type Look = { toggled: Record<string, boolean>; wanted: string };

function addSource(rows: SchemaNode[], { id: sourceId, language }: SchemaSource, entities: Entity[], look: Look): void {
  const { toggled, wanted } = look;
  const isSql = language !== null && language !== "mongodb";
  const write = (name: string) => (isSql ? toSqlName(name, language) : name);
  const writeTable = (entity: Entity) => (isSql ? toSqlTable(entity, language) : entity.name);
  const select = (entity: Entity) =>
    language === null ? null : language === "mongodb" ? toShellFind(entity.name) : toSelect(entity, language);
  const found = entities.filter((entity) => wanted === "" || matches(entity, wanted));
  const schemas = [...new Set(entities.map((entity) => entity.schema ?? ""))];
  if (schemas.length < 2) {
    addEntities(rows, found, { parentId: sourceId, level: 1, write, writeTable, select }, look);
    return;
  }
  const shown = schemas.filter((schema) => found.some((entity) => (entity.schema ?? "") === schema));
  shown.forEach((schema, at) => {
    const id = `${sourceId}/${schema}`;
    const inside = found.filter((entity) => (entity.schema ?? "") === schema);
    const isExpanded = toggled[id] ?? (wanted !== "" || at === 0);
    const place = { positionInSet: at + 1, setSize: shown.length };
    rows.push({
      kind: "schema",
      id,
      parentId: sourceId,
      level: 1,
      // Their names alone find them.
      label: schema || "Default schema",
      isExpanded,
      setCount: inside.length,
      ...place,
    });
    if (isExpanded) addEntities(rows, inside, { parentId: id, level: 2, write, writeTable, select }, look);
  });
}

type Place = {
  parentId: string;
  level: number;
  write: (name: string) => string;
  writeTable: (entity: Entity) => string;
  select: (entity: Entity) => string | null;
};

function addEntities(
  rows: SchemaNode[],
  entities: Entity[],
  { parentId, level, write, writeTable, select }: Place,
  { toggled, wanted }: Look,
): void {
  entities.forEach((entity, i) => {
    const id = `${parentId}/${entity.name}`;
    const columns = entity.columns ?? [];
    const found =
      wanted === "" || entity.name.toLowerCase().includes(wanted)
        ? columns
        : columns.filter((c) => isLike(c.name, wanted));
    const isHit = wanted !== "" && columns.some((c) => isLike(c.name, wanted));
    const isExpanded = columns.length === 0 ? undefined : (toggled[id] ?? isHit);
    rows.push({
      kind: "entity",
      id,
      parentId,
      level,
      label: entity.name,
      isExpanded,
      entity,
      insertText: writeTable(entity),
      selectText: select(entity),
      positionInSet: i + 1,
      setSize: entities.length,
    });
    if (!isExpanded) return;
    found.forEach((column, at) => {
      rows.push({
        kind: "column",
        id: `${id}/${column.name}`,
        parentId: id,
        level: level + 1,
        label: column.name,
        isSmall: true,
        column,
        insertText: write(column.name),
        positionInSet: at + 1,
        setSize: found.length,
      });
    });
  });
}

/** Rows that a table preview reads. */
const SELECTED_ROWS = 100;

function toSelect(entity: Entity, dialect: SqlDialect): string {
  const names = entity.columns?.map((column) => toSqlName(column.name, dialect)) ?? [];
  const columns = names.length === 0 ? "*" : names.join(", ");
  return `select ${columns}\nfrom ${toSqlTable(entity, dialect)}\nlimit ${SELECTED_ROWS}`;
}

function matches(entity: Entity, wanted: string): boolean {
  return isLike(entity.name, wanted) || (entity.columns ?? []).some((column) => isLike(column.name, wanted));
}

function isLike(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted);
}

/** Returns the id of the connection that a node belongs to; empty if the tree no longer has it. */
export function toConnectionId(nodes: readonly SchemaNode[], node: SchemaNode): string {
  let at: SchemaNode | undefined = node;
  while (at !== undefined && at.kind !== "connection") {
    const parentId: string | null = at.parentId;
    at = nodes.find((each) => each.id === parentId);
  }
  return at?.id ?? "";
}
