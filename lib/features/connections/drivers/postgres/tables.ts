import { isBelowMicros, isUnsigned64, isUuid, precisionOf } from "@/lib/base/values/precision";
import { type ColumnTypes, isZonedTime } from "../shared/flows/column-types";
import type { TableShape } from "../shared/flows/table-shape";
import type { KnownType } from "./types";

/** Maximum precision of a numeric. */
const NUMERIC_DIGITS_MAX = 1000;

/**
 * One table or view with its columns and keys: $1 is its schema, null for the default schema; $2 its name. Runs with a
 * fixed search path, so that type names are qualified (`PostgresSession.read`).
 */
export const DESCRIBE_SQL = `
  with place as (
    select coalesce($1::name, (current_setting('millrace.schemas')::name[])[1]) as schema
  ), found as (
    select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace, place
    where n.nspname = place.schema and c.relname = $2::name and c.relkind in ('r', 'p', 'v', 'm', 'f')
  )
  select place.schema::text, found.oid is not null,
    (select json_agg(json_build_object('name', a.attname, 'oid', a.atttypid::int8, 'dbType', format_type(a.atttypid, a.atttypmod),
        'nullable', not a.attnotnull, 'generated', a.attgenerated <> '', 'place', a.attnum) order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = found.oid and a.attnum > 0 and not a.attisdropped),
    (select json_agg(json_build_object('primary', i.indisprimary, 'columns',
        (select json_agg(k.num order by k.place) from unnest(i.indkey::int2[]) with ordinality k(num, place)
          where k.place <= i.indnkeyatts)))
      from pg_catalog.pg_index i where i.indrelid = found.oid and i.indisunique and i.indisvalid and i.indimmediate
        and i.indpred is null and i.indexprs is null)
  from place left join found on true`;

type ColumnRow = { name: string; oid: number; dbType: string; nullable: boolean; generated: boolean; place: number };
type KeyRow = { primary: boolean; columns: number[] };

export function typesIn(row: readonly unknown[] | undefined): number[] {
  return ((row?.[2] ?? []) as ColumnRow[]).map(({ oid }) => oid);
}

/** @param row of DESCRIBE_SQL */
export function toShape(
  row: readonly unknown[] | undefined,
  name: string,
  typeOf: (oid: number) => KnownType | undefined,
): { schema: string | null; shape: TableShape | null } {
  const [schema, isThere, columns, keys] = row ?? [];
  const place = schema === null || schema === undefined ? null : String(schema);
  if (isThere !== true) return { schema: place, shape: null };
  const found = (columns ?? []) as ColumnRow[];
  const nameAt = (at: number) => found.find((column) => column.place === at)?.name ?? "";
  const uniqueKeys = ((keys ?? []) as KeyRow[]).map(({ columns: places }) => places.map(nameAt));
  return {
    schema: place,
    shape: {
      schema: place,
      name,
      columns: found.map(({ name: column, oid, dbType, nullable, generated }) => ({
        name: column,
        type: typeOf(oid)?.type ?? "other",
        dbType,
        nullable,
        ...(generated && { isGenerated: true as const }),
      })),
      primaryKey: ((keys ?? []) as KeyRow[]).find(({ primary }) => primary)?.columns.map(nameAt) ?? [],
      uniqueKeys,
    },
  };
}

/** Array element types with a native PostgreSQL type, by the names that databases give them. */
const ELEMENTS: Readonly<Record<string, string>> = {
  boolean: "boolean",
  smallint: "smallint",
  integer: "integer",
  bigint: "bigint",
  "double precision": "double precision",
  double: "double precision",
  text: "text",
  varchar: "text",
  "character varying": "text",
  uuid: "uuid",
  date: "date",
  numeric: "numeric",
  "timestamp without time zone": "timestamp",
  "timestamp with time zone": "timestamptz",
};

export const POSTGRES_TYPES: ColumnTypes = {
  int32: "integer",
  int64: (field) => (isUnsigned64(field) ? "numeric(20,0)" : "bigint"),
  float64: "double precision",
  decimal(field) {
    const digits = precisionOf(field);
    const isBounded = digits !== null && digits.precision <= NUMERIC_DIGITS_MAX && digits.scale <= digits.precision;
    return isBounded ? `numeric(${digits.precision},${digits.scale})` : "numeric";
  },
  boolean: "boolean",
  date: "date",
  time: (field) => (isBelowMicros(field) ? "text" : isZonedTime(field) ? "time with time zone" : "time"),
  timestamp: (field) => (isBelowMicros(field) ? "text" : "timestamp"),
  timestamptz: (field) => (isBelowMicros(field) ? "text" : "timestamp with time zone"),
  interval: "interval",
  json: "jsonb",
  binary: "bytea",
  array({ dbType }) {
    const element = ELEMENTS[/^(.*[^\]])\[\]$/.exec(dbType.toLowerCase())?.[1] ?? ""];
    return element === undefined ? "jsonb" : `${element}[]`;
  },
  string: (field) => (isUuid(field) ? "uuid" : "text"),
  other: "text",
};
