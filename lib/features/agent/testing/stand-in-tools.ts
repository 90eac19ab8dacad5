import { jsonSchema, type ToolSet, tool } from "ai";
import type { EngineTable, TestEngine } from "./engines";

/** What the last query of a turn has given, whole. */
export type Ran = { query: string; fields: string[]; rows: Record<string, unknown>[] };
export type Workbench = { tools: ToolSet; ran: Ran[]; calls: string[] };

const ROWS_TO_MODEL = 200;
const KEPT_MAX = 20_000;

/** The agent's tools, in the shapes of the product, over one real database. */
export function workbench(
  engine: TestEngine,
  name: string,
  tables: readonly EngineTable[],
  id = "c0ffee00c0ffee00c0ffee00",
): Workbench {
  const ran: Ran[] = [];
  const calls: string[] = [];
  const inputs = (properties: Record<string, unknown>, required: string[]) =>
    jsonSchema<Record<string, unknown>>({
      type: "object",
      properties: properties as never,
      required,
      additionalProperties: false,
    });
  const text = { type: "string" };
  const find = (input: Record<string, unknown>) => {
    if (input.connectionId !== id) throw new Error("There is no such connection in this workspace.");
    const found = tables.find(
      (table) => table.name === input.name && (input.schema === undefined || input.schema === table.schema),
    );
    if (!found) throw new Error("There is no such entity.");
    return found;
  };
  return {
    ran,
    calls,
    tools: {
      list_connections: tool({
        description: "The workspace's connections.",
        inputSchema: inputs({}, []),
        execute: async () => {
          calls.push("list_connections");
          const { type, language, dialect } = engine;
          return { connections: [{ id, name, type, language, dialect, readOnly: true, status: "ok" }] };
        },
      }),
      list_entities: tool({
        description: "Tables, views and collections of a connection, by words of their names and columns.",
        inputSchema: inputs({ connectionId: text, search: text, limit: { type: "integer" }, cursor: text }, [
          "connectionId",
        ]),
        execute: async (input) => {
          calls.push("list_entities");
          if (input.connectionId !== id) throw new Error("There is no such connection in this workspace.");
          const search = String(input.search ?? "").toLowerCase();
          const fitting = tables.filter(
            (table) =>
              table.name.toLowerCase().includes(search) ||
              table.columns.some((column) => column.name.toLowerCase().includes(search)),
          );
          const limit = Number(input.limit ?? 50);
          return {
            entities: fitting
              .slice(0, limit)
              .map(({ columns, foreignKeys: _, ...table }) => ({ ...table, columnCount: columns.length })),
            total: fitting.length,
            nextCursor: fitting.length > limit ? String(limit) : null,
          };
        },
      }),
      describe_entity: tool({
        description: "Columns and keys of one table.",
        inputSchema: inputs({ connectionId: text, name: text, schema: text }, ["connectionId", "name"]),
        execute: async (input) => {
          calls.push("describe_entity");
          const table = find(input);
          const referencedBy = tables.flatMap((other) =>
            other.foreignKeys
              .filter(({ references }) => references.name === table.name)
              .map(({ columns, references }) => ({ name: other.name, columns, foreignColumns: references.columns })),
          );
          return { ...table, referencedBy };
        },
      }),
      run_query: tool({
        description: "Runs one query, read-only, and gives its first rows.",
        inputSchema: inputs({ connectionId: text, query: text, limit: { type: "integer" } }, ["connectionId", "query"]),
        execute: async (input) => {
          calls.push("run_query");
          if (input.connectionId !== id) throw new Error("There is no such connection in this workspace.");
          const query = String(input.query);
          const { fields, rows } = await engine.query(query);
          ran.push({ query, fields, rows: rows.slice(0, KEPT_MAX) });
          return {
            executionId: "00000000-0000-4000-8000-000000000000",
            fields: fields.map((field) => ({ name: field, type: "other" })),
            rows: rows.slice(0, ROWS_TO_MODEL),
            rowCount: rows.length,
            truncated: rows.length > ROWS_TO_MODEL,
            durationMs: 1,
          };
        },
      }),
    },
  };
}
