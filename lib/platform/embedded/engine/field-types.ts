import { type DuckDBType, DuckDBTypeId } from "@duckdb/node-api";
import type { FieldType } from "../../../base/values/fields.ts";

const FIELD_TYPE_OF: Partial<Record<DuckDBTypeId, FieldType>> = {
  [DuckDBTypeId.BOOLEAN]: "boolean",
  [DuckDBTypeId.TINYINT]: "int32",
  [DuckDBTypeId.SMALLINT]: "int32",
  [DuckDBTypeId.INTEGER]: "int32",
  [DuckDBTypeId.BIGINT]: "int64",
  [DuckDBTypeId.UTINYINT]: "int32",
  [DuckDBTypeId.USMALLINT]: "int32",
  [DuckDBTypeId.UINTEGER]: "int64",
  [DuckDBTypeId.UBIGINT]: "int64",
  [DuckDBTypeId.HUGEINT]: "decimal",
  [DuckDBTypeId.UHUGEINT]: "decimal",
  [DuckDBTypeId.BIGNUM]: "decimal",
  [DuckDBTypeId.FLOAT]: "float64",
  [DuckDBTypeId.DOUBLE]: "float64",
  [DuckDBTypeId.DECIMAL]: "decimal",
  [DuckDBTypeId.VARCHAR]: "string",
  [DuckDBTypeId.ENUM]: "string",
  [DuckDBTypeId.UUID]: "string",
  [DuckDBTypeId.BIT]: "string",
  [DuckDBTypeId.BLOB]: "binary",
  [DuckDBTypeId.GEOMETRY]: "binary",
  [DuckDBTypeId.DATE]: "date",
  [DuckDBTypeId.TIME]: "time",
  [DuckDBTypeId.TIME_TZ]: "time",
  [DuckDBTypeId.TIME_NS]: "time",
  [DuckDBTypeId.TIMESTAMP]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_S]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_MS]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_NS]: "timestamp",
  [DuckDBTypeId.TIMESTAMP_TZ]: "timestamptz",
  [DuckDBTypeId.INTERVAL]: "interval",
  [DuckDBTypeId.LIST]: "array",
  [DuckDBTypeId.ARRAY]: "array",
  [DuckDBTypeId.STRUCT]: "json",
  [DuckDBTypeId.MAP]: "json",
  [DuckDBTypeId.UNION]: "json",
  [DuckDBTypeId.VARIANT]: "json",
};

/** Returns true for JSON, which DuckDB represents as VARCHAR with the alias `JSON`. */
export function isJsonText(type: DuckDBType): boolean {
  return type.typeId === DuckDBTypeId.VARCHAR && type.alias === "JSON";
}

export function fieldTypeOf(type: DuckDBType): FieldType {
  return isJsonText(type) ? "json" : (FIELD_TYPE_OF[type.typeId] ?? "other");
}
