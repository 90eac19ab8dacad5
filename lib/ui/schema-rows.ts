import type { Entity, EntityColumn } from "@/lib/client/api";
import type { SqlDialect } from "@/lib/sql/dialects";
import { toSqlName } from "@/lib/sql/names";
import type { TreeNode } from "@/lib/ui/tree-node";

/**
 * A connection as the tree needs it; `entities` null while they are not loaded, `dialect` for what is no SQL: names are
 * then written as they are.
 */
export type SchemaSource = {
  id: string;
  name: string;
  isOpen: boolean;
  entities: Entity[] | null;
  dialect: SqlDialect | null;
};

export type SchemaNode = TreeNode &
  (
    | { kind: "connection" }
    | { kind: "schema"; setCount: number }
    | { kind: "entity"; entity: Entity; insertText: string }
    | { kind: "column"; column: EntityColumn; insertText: string }
  );

/**
 * The visible rows of the schema tree, from the top down. A connection with one schema shows its tables at once; several
 * schemas get a level of their own.
 * @param toggled what a person has opened or closed, by row id; one lone schema and hits of a search are open by themselves
 * @param search part of a table's or column's name; the tree then holds only what matches
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

function addSource(rows: SchemaNode[], { id: sourceId, dialect }: SchemaSource, entities: Entity[], look: Look): void {
  const { toggled, wanted } = look;
  const write = (name: string) => (dialect === null ? name : toSqlName(name, dialect));
  const found = entities.filter((entity) => wanted === "" || matches(entity, wanted));
  const schemas = [...new Set(entities.map((entity) => entity.schema ?? ""))];
  if (schemas.length < 2) {
    addEntities(rows, found, { parentId: sourceId, level: 1, write }, look);
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
      label: schema || "(none)",
      isExpanded,
      setCount: inside.length,
      ...place,
    });
    if (isExpanded) addEntities(rows, inside, { parentId: id, level: 2, write }, look);
  });
}

function addEntities(
  rows: SchemaNode[],
  entities: Entity[],
  { parentId, level, write }: { parentId: string; level: number; write: (name: string) => string },
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
      insertText: write(entity.name),
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

function matches(entity: Entity, wanted: string): boolean {
  return isLike(entity.name, wanted) || (entity.columns ?? []).some((column) => isLike(column.name, wanted));
}

function isLike(name: string, wanted: string): boolean {
  return name.toLowerCase().includes(wanted);
}
