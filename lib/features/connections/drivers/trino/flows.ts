import "server-only";
import type { WireValue } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { ExtractRequest, ExtractStream, QueryableSource } from "../../data-source";
import { type Bound, EXTRACT_TIMEOUT_MS, extractBySql } from "../shared/flows/sql-extract";
import type { TableColumn, TableShape } from "../shared/flows/table-shape";
import { quote } from "../shared/flows/upsert";

type Parts = { query: QueryableSource["query"]; catalog: string; schema: string };

/**
 * Extracts a table. Trino has no keys, so a whole table is read unordered; whether as a snapshot depends on the
 * connector.
 */
export function extractTrino(parts: Parts, request: ExtractRequest): Promise<ExtractStream> {
  const { signal } = request;
  const options = { readOnly: true, signal, timeoutMs: EXTRACT_TIMEOUT_MS, jsonAsText: true } as const;
  return extractBySql(
    {
      dialect: {
        quote,
        nullsFirst: " nulls first",
        cursorOrder: ({ type }, expression) => (type === "string" ? `cast(${expression} as varchar)` : expression),
        bind,
      },
      describe: (entity) => look(parts, entity, options),
      query: (sql, params) => parts.query({ query: sql, ...(params.length > 0 && { params }) }, options),
    },
    request,
  );
}

function bind(value: Exclude<WireValue, null>, { type, dbType }: TableColumn): Bound {
  const text = String(value);
  if (type === "binary") return { sql: "from_base64(?)", param: text };
  // A timestamp is parsed with a blank between its day and its time, and an instant with the name of its zone.
  const isStamp = type === "timestamp" || type === "timestamptz";
  return { sql: `cast(? as ${dbType})`, param: isStamp ? text.replace("T", " ").replace(/Z$/, " UTC") : text };
}

async function look(
  { query, schema: own }: Parts,
  { schema = own, name }: ExtractRequest["entity"],
  options: Parameters<QueryableSource["query"]>[1],
): Promise<TableShape | null> {
  const place = [...(schema === "" ? [] : [schema]), name];
  try {
    const { fields, batches } = await query({ query: `select * from ${place.map(quote).join(".")} limit 0` }, options);
    for await (const _ of batches);
    return {
      schema: schema === "" ? null : schema,
      name,
      columns: fields.map((field) => ({ ...field, nullable: true })),
      primaryKey: [],
      uniqueKeys: [],
    };
  } catch (error) {
    const details = error instanceof AppError ? error.details : undefined;
    if (details && "code" in details && MISSING.has(Number(details.code))) return null;
    throw error;
  }
}

/** Error codes SCHEMA_NOT_FOUND and TABLE_NOT_FOUND (Trino's file StandardErrorCode.java). */
const MISSING = new Set([45, 46]);
