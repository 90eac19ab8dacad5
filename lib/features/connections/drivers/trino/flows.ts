import "server-only";
import type { WireValue } from "@/lib/base/values/fields";
import type { ExtractRequest, ExtractStream, QueryableSource } from "../../data-source";
import { type Bound, extractBySql, extractOptions } from "../shared/flows/sql-extract";
import { describeByResult, type TableColumn } from "../shared/flows/table-shape";
import { quote } from "../shared/flows/upsert";

/** Error codes SCHEMA_NOT_FOUND and TABLE_NOT_FOUND (Trino's file StandardErrorCode.java). */
const MISSING = { detail: "code", values: new Set(["45", "46"]) };

type Parts = { query: QueryableSource["query"]; catalog: string; schema: string };

/**
 * Extracts a table. Trino has no keys, so a whole table is read unordered; whether as a snapshot depends on the
 * connector.
 */
export function extractTrino(parts: Parts, request: ExtractRequest): Promise<ExtractStream> {
  const { signal } = request;
  const options = extractOptions(signal);
  return extractBySql(
    {
      dialect: {
        quote,
        nullsFirst: " nulls first",
        cursorOrder: ({ type }, expression) => (type === "string" ? `cast(${expression} as varchar)` : expression),
        bind,
      },
      describe: ({ schema = parts.schema, name }) => {
        const place = schema === "" ? { name } : { schema, name };
        const path = [...(schema === "" ? [] : [schema]), name].map(quote).join(".");
        return describeByResult(place, parts.query({ query: `select * from ${path} limit 0` }, options), MISSING);
      },
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
