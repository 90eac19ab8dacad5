import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import type { ExtractRequest, ExtractStream, QueryableSource } from "../../data-source";
import { ownText } from "../postgres/encode";
import { EXTRACT_TIMEOUT_MS, extractBySql } from "../shared/flows/sql-extract";
import type { TableShape } from "../shared/flows/table-shape";
import { quote } from "../shared/flows/upsert";

/** SQL states undefined_table and invalid_schema_name. */
const MISSING = new Set(["42P01", "3F000"]);

/**
 * Extracts a table or view. Redshift does not enforce keys, so a table without a cursor is read unordered, in one
 * snapshot.
 */
export function extractRedshift(query: QueryableSource["query"], request: ExtractRequest): Promise<ExtractStream> {
  const options = { readOnly: true, signal: request.signal, timeoutMs: EXTRACT_TIMEOUT_MS, jsonAsText: true } as const;
  return extractBySql(
    {
      dialect: {
        quote,
        nullsFirst: " nulls first",
        // Redshift compares texts by their bytes, unless a column is declared case-insensitive.
        cursorOrder: ({ type }, expression) =>
          type === "string" ? `collate(${expression}, 'case_sensitive')` : expression,
        bind: (value, column, place) => ({ sql: `cast($${place} as ${column.dbType})`, param: ownText(value, column) }),
      },
      describe: (entity) => lookUp(query, entity, options),
      query: (sql, params) => query({ query: sql, ...(params.length > 0 && { params }) }, options),
    },
    request,
  );
}

async function lookUp(
  query: QueryableSource["query"],
  { schema, name }: ExtractRequest["entity"],
  options: Parameters<QueryableSource["query"]>[1],
): Promise<TableShape | null> {
  const path = [...(schema === undefined ? [] : [schema]), name].map(quote).join(".");
  try {
    const { fields, batches } = await query({ query: `select * from ${path} limit 0` }, options);
    for await (const _ of batches);
    const columns = fields.map((field) => ({ ...field, nullable: true }));
    return { schema: schema ?? null, name, columns, primaryKey: [], uniqueKeys: [] };
  } catch (error) {
    const details = error instanceof AppError ? error.details : undefined;
    if (details && "sqlState" in details && MISSING.has(String(details.sqlState))) return null;
    throw error;
  }
}
