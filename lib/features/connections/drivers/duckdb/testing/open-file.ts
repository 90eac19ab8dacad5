import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Field, WireValue } from "@/lib/base/values/fields";
import type { QueryableSource, QueryOptions, Statement } from "../../../data-source";
import { requireQueryable } from "../../../queryable";

export const WORKSPACE_ID = "a".repeat(24);
const TIMEOUT_MS = 30_000;

/** A data folder of its own for one test file; set before anything reads the settings. */
export function takeOwnDataDir(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "millrace-test-"));
  process.env.DATA_DIR = path;
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Opens a DuckDB connection of the workspace through the driver, its engine included. */
export async function openFile(file: string, readOnly = false): Promise<QueryableSource> {
  const { duckdb } = await import("..");
  const context = { workspaceId: WORKSPACE_ID, connectionId: "b".repeat(24), config: { file }, readOnly };
  return requireQueryable(await duckdb.open(context));
}

export type Answer = { fields: Field[]; rows: WireValue[][]; isCut: boolean };

/** Runs a statement and gathers all of its rows, row by row. */
export async function query(
  source: QueryableSource,
  text: string,
  options: Partial<QueryOptions> & { params?: Statement["params"] } = {},
): Promise<Answer> {
  const { params, ...rest } = options;
  const { fields, batches } = await source.query(
    { query: text, ...(params && { params }) },
    { readOnly: false, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal, ...rest },
  );
  const answer: Answer = { fields, rows: [], isCut: false };
  for await (const { rowCount, columns, isCut } of batches) {
    for (let row = 0; row < rowCount; row += 1) answer.rows.push(columns.map((column) => column[row] ?? null));
    answer.isCut ||= isCut === true;
  }
  return answer;
}
