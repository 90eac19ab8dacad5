import "server-only";
import type { Question } from "@/lib/base/questions/question";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { noSuchConnection } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import type { ResultFormat } from "../schema";
import { executeQuery } from "../service";
import { getTableOrThrow } from "../table-rows";
import { requireZone } from "../zone";
import { planMongoQuestion } from "./mongo";
import { planQuestion } from "./plan";
import type { QuestionAnswer, QuestionBody } from "./schema";

type Ask = { body: QuestionBody; signal: AbortSignal };

/**
 * Returns the statement of a question, without running it.
 * @throws AppError not_found for an unknown connection or table; as `planQuestion` otherwise
 */
export async function explainQuestion(
  caller: Caller,
  connection: ConnectionDoc | null,
  ask: Ask,
): Promise<QuestionAnswer> {
  const { sql, dialect, columns } = await plan(caller, connection, ask);
  return { sql, dialect, columns: columns.map(({ name, role }) => ({ name, role })) };
}

/**
 * Runs a question read-only, as a query of the caller.
 * @throws AppError as `explainQuestion` and `executeQuery`
 */
export async function askQuestion(
  caller: Caller,
  connection: ConnectionDoc | null,
  { format, ...ask }: Ask & { format: ResultFormat },
): Promise<Response> {
  if (!connection) throw noSuchConnection();
  const { sql, dialect } = await plan(caller, connection, ask);
  const { limit, timeoutMs, executionId } = ask.body;
  const request = {
    connection,
    origin: { kind: "adhoc" as const, id: connection._id },
    statement: { query: sql },
    limit,
    timeoutMs,
    executionId,
    readOnly: true,
    signal: ask.signal,
    facts: { sql, dialect },
  };
  return executeQuery(caller, request, format);
}

async function plan(caller: Caller, connection: ConnectionDoc | null, { body, signal }: Ask) {
  if (!connection) throw noSuchConnection();
  const question: Question = { ...body.question, timezone: requireZone(body.question.timezone) };
  const { dialect, values, label, language } = driverOf(connection.type);
  const written = dialect ?? (language === "mongodb" ? language : null);
  if (written === null)
    throw new AppError("invalid_request", `Questions are not supported for ${label}. Use a console.`);
  const names = [question.table, ...question.joins.map(({ table }) => table)];
  const entities = await Promise.all(
    names.map(({ name, schema }) =>
      getTableOrThrow(caller, { connection, signal }, { name, ...(schema && { schema }) }),
    ),
  );
  if (!dialect) return { ...planMongoQuestion(question, entities), dialect: written };
  const engine = { dialect, nullsLast: values?.nullsLast ?? null, keysRepeat: values?.keysRepeat === true };
  return { ...planQuestion(question, entities, engine), dialect };
}
