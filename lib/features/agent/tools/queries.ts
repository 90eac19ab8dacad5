import "server-only";
import { ObjectId } from "mongodb";
import { z } from "zod";
import type { Batch, Field, WireValue } from "@/lib/base/values/fields";
import { jsonStart } from "@/lib/base/values/json-slices";
import { type ConnectionDoc, mayOnlyRead } from "@/lib/features/connections/model";
import { getConnectionDocOrThrow } from "@/lib/features/connections/service";
import { bindConsole, expandMetrics } from "@/lib/features/metrics/in-sql";
import { timezone, variableName, variableValue } from "@/lib/features/query/schema";
import { consumeQuery, type QueryRequest } from "@/lib/features/query/service";
import { inSource, unbound } from "@/lib/features/query/variables";
import { keepResult } from "@/lib/features/results/service";
import { AppError } from "@/lib/platform/http/errors";
import { objectIdText } from "@/lib/platform/http/schema";
import {
  KEPT_BYTES_MAX,
  KEPT_MS,
  KEPT_ROWS_MAX,
  MODEL_RESULT_BYTES_MAX,
  MODEL_ROWS_MAX,
  QUERY_REPAIRS_MAX,
} from "../limits";
import { shortText } from "./short";
import { BOTH, defineTool, type ToolContext } from "./tool";

const QUERY_CHARS_MAX = 100_000;
/** Maximum length of one cell for the model: the start shows what it is. */
const CELL_CHARS_MAX = 1000;
/** The same limit if a row is too wide to fit. */
const WIDE_CELL_CHARS_MAX = 40;
/** Timeout of a query, in ms. A turn waits for its queries, and the user waits for the turn. */
const TIMEOUT_MS = 60_000;

const row = z.record(z.string(), z.unknown());
export const queryInput = z.object({
  connectionId: objectIdText,
  query: z
    .string()
    .min(1)
    .max(QUERY_CHARS_MAX)
    .describe("One statement in the connection's dialect, or MongoDB shell text"),
  variables: z
    .record(variableName, variableValue)
    .optional()
    .describe("Value for each {{name}} of the query, sent as a bound parameter. null leaves optional clauses out"),
  timezone: timezone.optional().describe("Time zone for date presets in variables. Default: UTC"),
  limit: z.int().min(1).max(MODEL_ROWS_MAX).optional().describe(`Number of rows to return. Default: ${MODEL_ROWS_MAX}`),
  purpose: z
    .enum(["answer", "lookup"])
    .optional()
    .describe("lookup: for you alone, folded in the chat. Default: answer"),
});

/** Answer of a query for the model. */
export const queryAnswer = z.object({
  executionId: z.string(),
  fields: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.array(row),
  rowCount: z.int().describe("Number of rows read of the full result"),
  truncated: z.boolean().describe("The result has more rows than returned"),
  affectedRows: z
    .int()
    .nullable()
    .describe("Rows that INSERT, UPDATE, DELETE, MERGE or REPLACE changed; null for others"),
  durationMs: z.number(),
  resultId: z.string().optional().describe("The stored result"),
});

const runQueryTool = defineTool({
  name: "run_query",
  description:
    "Runs one statement and returns its first rows; the person can open the full result. Read-only, unless an approved plan has the grant query-write and the connection in its targets. A failure returns the database's message: fix the query at most twice.",
  input: queryInput,
  output: queryAnswer,
  writes: null,
  agents: BOTH,
  run: async (context, input) => {
    const failed = context.chat?.failedQueries ?? { count: 0 };
    if (failed.count > QUERY_REPAIRS_MAX) {
      throw new AppError("not_allowed", "The query failed three times. Explain the error to the person.");
    }
    try {
      const answer = await query(context, input);
      failed.count = 0;
      return answer;
    } catch (error) {
      if (error instanceof AppError && error.kind === "confirmation_required") {
        const advice = "Only a person can confirm it: give them the statement to run in a console.";
        throw new AppError(error.kind, `${error.message} ${advice}`, { details: error.details, cause: error });
      }
      failed.count += 1;
      if (!context.chat || !(error instanceof AppError) || error.kind !== "read_only") throw error;
      const advice = `To write on a writable connection, request query-write in propose_plan with ${input.connectionId} in its targets.`;
      throw new AppError("read_only", `${error.message} ${advice}`, { details: error.details, cause: error });
    }
  },
});

export const queryTools = [runQueryTool];

/** Runs a statement read-only, even if a plan grants writes. */
export function runAsReader(context: ToolContext, input: z.output<typeof queryInput>) {
  return query({ ...context, mayWriteByQuery: async () => false }, input);
}

/** Runs a statement as the caller, stores the result for them, and returns its start for the model. */
export async function query(context: ToolContext, input: z.output<typeof queryInput>) {
  const { query: text, variables, timezone } = input;
  const connection = await getConnectionDocOrThrow(context.caller, new ObjectId(input.connectionId));
  // Without variables, braces are the database's.
  const bound = variables
    ? await bindConsole(context.caller, connection, { content: text, values: variables, timezone })
    : await expandMetrics(context.caller, connection, unbound(text));
  try {
    return await runStatement(context, input, connection, { query: bound.query, params: bound.params });
  } catch (error) {
    throw inSource(error, text, bound);
  }
}

async function runStatement(
  context: ToolContext,
  { connectionId, limit = MODEL_ROWS_MAX }: z.output<typeof queryInput>,
  connection: ConnectionDoc,
  statement: QueryRequest["statement"],
) {
  const { caller, signal, chat } = context;
  const mayWrite = !mayOnlyRead(connection) && (await context.mayWriteByQuery(connectionId));
  const { fields, resultId, executionId, affectedRows, durationMs, beginning } = await consumeQuery(
    caller,
    {
      connection,
      origin: chat ? { kind: "chat", id: chat.id } : { kind: "mcp", id: null },
      statement,
      timeoutMs: TIMEOUT_MS,
      signal,
      readOnly: !mayWrite,
    },
    async ({ fields, batches }) => {
      const beginning = new Beginning(fields, limit);
      const seen = beginning.watch(batches);
      if (!chat || fields.length === 0) {
        for await (const _ of seen) if (beginning.isFull) break;
        return { fields, beginning, rowCount: beginning.rowCount, resultId: null };
      }
      const kept = await keepResult(
        caller.workspaceId,
        { fields, batches: seen },
        { rows: KEPT_ROWS_MAX, bytes: KEPT_BYTES_MAX, ms: KEPT_MS },
      );
      const resultId = kept.resultId.toHexString();
      chat.keep(resultId);
      return { fields, beginning, rowCount: kept.rowCount, resultId };
    },
  );
  const { rows, isCut } = fitting(beginning.rows);
  return {
    executionId,
    fields: fields.map(({ name, type }) => ({ name, type })),
    rows,
    rowCount: beginning.rowCount,
    truncated: isCut || beginning.hasMore,
    affectedRows,
    durationMs,
    ...(resultId !== null && { resultId }),
  };
}

/** The first rows of a result, collected as it streams by; the stream ends at the limit for stored rows. */
class Beginning {
  readonly rows: Record<string, WireValue>[] = [];
  rowCount = 0;
  hasMore = false;

  constructor(
    private readonly fields: readonly Field[],
    private readonly limit: number,
  ) {}

  get isFull(): boolean {
    return this.rowCount > this.limit;
  }

  async *watch(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    for await (const batch of batches) {
      const left = KEPT_ROWS_MAX - this.rowCount;
      const take = Math.min(batch.rowCount, left);
      for (let index = 0; index < take && this.rows.length < this.limit; index += 1) {
        this.rows.push(
          Object.fromEntries(this.fields.map(({ name }, column) => [name, batch.columns[column]?.[index] ?? null])),
        );
      }
      this.rowCount += take;
      if (this.rowCount > this.rows.length || batch.isCut) this.hasMore = true;
      if (take === batch.rowCount) {
        yield batch;
      } else {
        this.hasMore = true;
        yield { rowCount: take, columns: batch.columns.map((column) => column.slice(0, take)) };
        return;
      }
    }
  }
}

/** Returns as many rows as the model may see, with long cells cut (T64). */
export function fitting(rows: readonly Record<string, WireValue>[]): {
  rows: Record<string, WireValue>[];
  isCut: boolean;
} {
  const [first] = rows;
  if (!first) return { rows: [], isCut: false };
  const isWide = sizeOf(shortened(first, CELL_CHARS_MAX)) > MODEL_RESULT_BYTES_MAX;
  const chars = isWide ? WIDE_CELL_CHARS_MAX : CELL_CHARS_MAX;
  const shown: Record<string, WireValue>[] = [];
  let bytes = 0;
  for (const each of rows) {
    const short = shortened(each, chars);
    bytes += sizeOf(short);
    if (bytes > MODEL_RESULT_BYTES_MAX) return { rows: shown, isCut: true };
    shown.push(short);
  }
  return { rows: shown, isCut: false };
}

function shortened(from: Record<string, WireValue>, chars: number): Record<string, WireValue> {
  return Object.fromEntries(
    Object.entries(from).map(([name, value]): [string, WireValue] => {
      if (value === null || typeof value === "number" || typeof value === "boolean") return [name, value];
      const text = typeof value === "string" ? value : jsonStart(value, chars);
      return [name, text.length <= chars ? value : shortText(text, chars)];
    }),
  );
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}
