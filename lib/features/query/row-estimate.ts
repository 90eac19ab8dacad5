import "server-only";
import type { PlanAnswer } from "@/lib/base/explain/read-plan";
import { findWrittenRows, type WrittenRows } from "@/lib/base/sql/written-rows";
import type { QueryableSource, RowEstimator, Statement } from "@/lib/features/connections/data-source";
import { driverOf } from "@/lib/features/connections/drivers/registry";
import { SHORT_CHARS_MAX } from "@/lib/features/connections/drivers/shared/statements/check";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { withDataSource } from "@/lib/features/connections/pool";
import { requireQueryable } from "@/lib/features/connections/queryable";
import type { Caller } from "@/lib/platform/access/caller";
import { log } from "@/lib/platform/log";
import { raceAbort } from "@/lib/platform/process/race-abort";
import { admit } from "./admission";
import { applicantOf } from "./applicant";
import type { HeldTransaction } from "./manual-sessions";

/** Maximum delay of a confirmation by its estimate, in ms. Plans take milliseconds; a person waits for the question. */
const ESTIMATE_TIMEOUT_MS = 3000;
/** Tests raise the limit: a busy machine takes longer to start a reader of a file. */
export const estimateLimits = { timeoutMs: ESTIMATE_TIMEOUT_MS };
/** Maximum number of rows to read from a plan: one of JSON, or lines of which the first counts. */
const PLAN_ROWS_MAX = 1000;

type Unconfirmed = {
  connection: ConnectionDoc;
  statement: Statement;
  session?: Partial<Pick<HeldTransaction, "inspect">> | undefined;
  signal: AbortSignal;
};
type Estimate = { estimator: RowEstimator; written: WrittenRows; signal: AbortSignal };

/**
 * Estimates the number of rows that a write with a condition affects, from the database's planner. The write does not
 * run: a query of the same rows is explained with the rules of a read-only connection, which also exclude functions
 * with side effects. It runs in the session of the write where the session stays as it was.
 * @returns null if the database does not tell, refuses the query, or takes longer than ESTIMATE_TIMEOUT_MS
 */
export async function estimateWrittenRows(
  caller: Caller,
  { connection, statement, session, signal }: Unconfirmed,
): Promise<number | null> {
  const { rowEstimator: estimator, dialect } = driverOf(connection.type);
  const { query, params } = statement;
  if (!estimator || !dialect || typeof query !== "string" || query.length > SHORT_CHARS_MAX) return null;
  const ends = AbortSignal.any([signal, AbortSignal.timeout(estimateLimits.timeoutMs)]);
  try {
    const written = findWrittenRows({ query, ...(params && { params }) }, dialect);
    if (!written || (estimator.needsOneTable && !written.isOneTable)) return null;
    const asked = { estimator, written, signal: ends };
    return await raceAbort(readIn(caller, connection, session, asked), ends);
  } catch (error) {
    log.debug({ err: error, connectionId: connection._id }, "no estimate for a write");
    return null;
  }
}

function readIn(
  caller: Caller,
  connection: ConnectionDoc,
  session: Unconfirmed["session"],
  asked: Estimate,
): Promise<number | null> {
  const readOutside = () => readFromPool(caller, connection, asked);
  if (!session?.inspect) return readOutside();
  return session.inspect(async (query) => {
    if (query === null) return readOutside();
    return asked.estimator.inSession ? read(query, asked) : null;
  });
}

async function readFromPool(caller: Caller, connection: ConnectionDoc, asked: Estimate): Promise<number | null> {
  const leave = await admit(applicantOf(caller, connection), asked.signal);
  try {
    return await withDataSource(connection, (source) => {
      const queryable = requireQueryable(source);
      return read((...args) => queryable.query(...args), asked);
    });
  } finally {
    leave();
  }
}

async function read(query: QueryableSource["query"], { estimator, written, signal }: Estimate): Promise<number | null> {
  const text = estimator.statementFor(written.query);
  if (text === null) return null;
  const statement = { query: text, ...(written.params && { params: written.params }) };
  const { fields, batches } = await query(statement, { readOnly: true, signal, timeoutMs: estimateLimits.timeoutMs });
  const rows: PlanAnswer["rows"][number][] = [];
  for await (const { rowCount, columns } of batches) {
    for (let row = 0; row < rowCount && rows.length < PLAN_ROWS_MAX; row += 1) {
      const cells = fields.map(({ name }, index) => [name, columns[index]?.[row] ?? null]);
      rows.push(Object.fromEntries(cells));
    }
  }
  return estimator.rowsIn({ fields, rows });
}
