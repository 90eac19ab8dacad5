import "server-only";
import type { ExtractRequest, ExtractStream, QueryableSource } from "../../data-source";
import { ownText } from "../postgres/encode";
import { extractBySql, extractOptions } from "../shared/flows/sql-extract";
import { describeByResult } from "../shared/flows/table-shape";
import { quote } from "../shared/flows/upsert";

/** SQL states undefined_table and invalid_schema_name. */
const MISSING = { detail: "sqlState", values: new Set(["42P01", "3F000"]) };

/**
 * Extracts a table or view. Redshift does not enforce keys, so a table without a cursor is read unordered, in one
 * snapshot.
 */
export function extractRedshift(query: QueryableSource["query"], request: ExtractRequest): Promise<ExtractStream> {
  const options = extractOptions(request.signal);
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
      describe: (entity) => {
        const path = [...(entity.schema === undefined ? [] : [entity.schema]), entity.name].map(quote).join(".");
        return describeByResult(entity, query({ query: `select * from ${path} limit 0` }, options), MISSING);
      },
      query: (sql, params) => query({ query: sql, ...(params.length > 0 && { params }) }, options),
    },
    request,
  );
}
