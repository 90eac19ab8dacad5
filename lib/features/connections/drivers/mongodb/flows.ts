import "server-only";
import type { ExtractRequest, ExtractStream, Load, LoadRequest } from "../../data-source";
import { readOnlyDestination } from "../shared/flows/sql-load";
import { extractCollection } from "./extract";
import { loadCollection } from "./load";
import type { Run } from "./run";

export type MongoFlowParts = {
  begin(signal: AbortSignal): Promise<Run>;
  failure(error: unknown, signal: AbortSignal): unknown;
  /** The server's time limit for one operation, in ms. */
  statementTimeoutMs: number;
};

export async function extractMongo(
  { begin, failure, statementTimeoutMs }: MongoFlowParts,
  request: ExtractRequest,
): Promise<ExtractStream> {
  const { signal } = request;
  const run = await begin(signal);
  try {
    const { fields, batches } = await extractCollection(run, request, statementTimeoutMs);
    return {
      fields,
      batches: (async function* () {
        try {
          yield* batches;
        } catch (error) {
          throw failure(error, signal);
        } finally {
          await run.end();
        }
      })(),
    };
  } catch (error) {
    await run.end();
    throw failure(error, signal);
  }
}

export async function loadMongo(
  { begin, failure, statementTimeoutMs }: MongoFlowParts,
  request: LoadRequest,
  readOnly: boolean,
): Promise<Load> {
  if (readOnly) throw readOnlyDestination();
  return loadCollection(request, { begin, failure, statementTimeoutMs });
}
