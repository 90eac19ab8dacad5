import type { Entity, WireValue } from "@/lib/base/values/fields";
import { SCHEMA_CHOICES_MAX } from "@/lib/features/connections/schema";
import { columnsOf } from "../shared/columns-of";
import { quote } from "../shared/flows/upsert";
import { quoted } from "./params";

/** Maximum tables of a tree; a catalog may represent a lake of any size. */
const TABLES_MAX = 10_000;
const COLUMNS_MAX = 200_000;

/** Schema names are in lower case. */
const shownOf = (schemas: readonly string[] | null) =>
  schemas ? ` AND table_schema IN (${schemas.map((name) => quoted(name.toLowerCase())).join(", ")})` : "";

export function schemasSql(catalog: string): string {
  return `SELECT schema_name FROM ${quote(catalog)}.information_schema.schemata`;
}

/** Returns the query for schemas with the number of their tables and views that the user may see. */
export function schemaChoicesSql(catalog: string): string {
  const of = (table: string) => `${quote(catalog)}.information_schema.${table}`;
  return `SELECT s.schema_name, count(t.table_name) FROM ${of("schemata")} s
    LEFT JOIN ${of("tables")} t ON t.table_schema = s.schema_name
    WHERE s.schema_name <> 'information_schema' GROUP BY 1 ORDER BY 1 LIMIT ${SCHEMA_CHOICES_MAX}`;
}

export function tablesSql(catalog: string, schemas: readonly string[] | null): string {
  return `SELECT table_schema, table_name, table_type FROM ${quote(catalog)}.information_schema.tables
    WHERE table_schema <> 'information_schema'${shownOf(schemas)} ORDER BY 1, 2 LIMIT ${TABLES_MAX}`;
}

export function columnsSql(catalog: string, schemas: readonly string[] | null): string {
  return `SELECT table_schema, table_name, column_name, data_type, is_nullable
    FROM ${quote(catalog)}.information_schema.columns
    WHERE table_schema <> 'information_schema'${shownOf(schemas)} ORDER BY 1, 2, ordinal_position LIMIT ${COLUMNS_MAX}`;
}

/** @param current the default schema, which is omitted. Trino has no keys. */
export function toEntities(tables: readonly WireValue[][], columns: readonly WireValue[][], current: string): Entity[] {
  const ofTable = columnsOf(columns, ([, , name, type, nullable]) => ({
    name: String(name),
    type: String(type),
    nullable: nullable === "YES",
    primaryKey: false,
  }));
  return tables.map(([schema, name, kind]) => ({
    name: String(name),
    ...(schema !== current.toLowerCase() && { schema: String(schema) }),
    kind: kind === "VIEW" ? ("view" as const) : ("table" as const),
    columns: ofTable(schema, name),
  }));
}
