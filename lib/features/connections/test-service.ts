import "server-only";
import type { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { AppError } from "@/lib/platform/http/errors";
import { redact } from "@/lib/platform/log/redact";
import { collections } from "./collections";
import { openConfig, parseConfig, secretValues } from "./config";
import type { DataSource, Driver, OpenContext, TestProgress } from "./data-source";
import { isNoTls } from "./drivers/shared/failures";
import {
  SCHEMA_CHOICES_MAX,
  type SchemaChoice,
  type TestAnswer,
  type TestConnectionBody,
  type TestStep,
} from "./schema";
import { getConnectionDocOrThrow, getDriverOrThrow } from "./service";

/** Time limit of a test, in ms. A person waits for it; a slower database counts as unreachable. */
const TEST_TIMEOUT_MS = 15_000;
/** Maximum characters of a version; one with the name of its distribution has half of it. */
const VERSION_CHARS_MAX = 100;
/** Number of latencies that are kept: enough to show a trend, and no larger than the rest of the record. */
const LATENCIES_MAX = 24;

/**
 * Tests a stored connection and records the outcome.
 * @throws AppError `not_found`; a failing test is an answer
 */
export async function testConnection(caller: Caller, connectionId: ObjectId, signal: AbortSignal): Promise<TestAnswer> {
  const { workspaceId } = caller;
  const doc = await getConnectionDocOrThrow(caller, connectionId);
  const driver = getDriverOrThrow(doc.type);
  const context = { workspaceId: workspaceId.toHexString(), connectionId: connectionId.toHexString() };
  const open = () => ({ ...context, config: openConfig(doc), readOnly: doc.readOnly });
  const answer = await attempt(driver, open, signal);
  const lastTestedAt = new Date();
  await collections.connections().updateOne(
    // A test of an earlier version says nothing about a connection that has changed since.
    { _id: connectionId, workspaceId, updatedAt: doc.updatedAt },
    {
      $set: {
        status: answer.ok ? "ok" : "failing",
        lastTestedAt,
        lastError: answer.ok ? null : answer.error,
        serverVersion: (answer.ok && answer.serverVersion) || null,
        latencyMs: answer.ok ? answer.latencyMs : null,
      },
      ...(answer.ok && {
        $push: { latencies: { $each: [{ at: lastTestedAt, ms: answer.latencyMs }], $slice: -LATENCIES_MAX } },
      }),
    },
  );
  return answer;
}

/** Tests settings that are not stored yet. @throws AppError `invalid_request` when they are incomplete */
export async function testConfig(
  { workspaceId }: Caller,
  body: TestConnectionBody,
  signal: AbortSignal,
): Promise<TestAnswer> {
  const driver = getDriverOrThrow(body.type);
  const config = parseConfig(driver, body.config);
  // Read-only: a test must not create a file or anything else.
  const context = { workspaceId: workspaceId.toHexString(), connectionId: "unsaved", config, readOnly: true };
  return attempt(driver, () => context, signal);
}

/** @param toContext opens the config: secrets that do not decrypt are an outcome of the test like any other */
async function attempt(driver: Driver, toContext: () => OpenContext, signal: AbortSignal): Promise<TestAnswer> {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(TEST_TIMEOUT_MS);
  let context: OpenContext | null = null;
  let source: DataSource | null = null;
  let progress: TestProgress = { steps: [], failedStep: null };
  try {
    context = toContext();
    await driver.check?.(context);
    source = await driver.open(context);
    const inTime = AbortSignal.any([signal, timeout]);
    const { serverVersion: said, warning } = await source.test(inTime, (told) => {
      progress = told;
    });
    const serverVersion = toVersion(said);
    const latencyMs = toTenths(performance.now() - startedAt);
    const read = await readSchemas(source, inTime);
    signal.throwIfAborted();
    const steps = [...progress.steps, ...(read ? [{ name: "read" as const, ms: read.ms }] : [])];
    return {
      ok: true,
      latencyMs,
      ...(serverVersion && { serverVersion }),
      ...(warning && { warning }),
      ...(steps.length > 0 && { steps: steps.map(inTenths) }),
      ...(read && { schemas: read.schemas }),
    };
  } catch (error) {
    signal.throwIfAborted();
    const failure =
      error instanceof AppError && !timeout.aborted
        ? error
        : new AppError("source_unreachable", `The data source did not respond within ${TEST_TIMEOUT_MS / 1000} s.`, {
            cause: error,
          });
    if (!(error instanceof AppError) && !timeout.aborted) throw error;
    const code = failure.kind;
    const words = redact(failure.message, secretValues(driver, context?.config ?? {}));
    const { steps, failedStep } = progress;
    return {
      ok: false,
      error: words,
      code,
      ...(failedStep && { steps: steps.map(inTenths), failedStep }),
      ...(isNoTls(failure) && { supportsTls: false }),
      ...unknownHostKeyOf(failure),
    };
  } finally {
    await source?.close().catch(() => undefined);
  }
}

/**
 * Returns the schemas to choose from. Null for a user who may sign in but not list them; the connection still works.
 */
async function readSchemas(
  source: DataSource,
  signal: AbortSignal,
): Promise<{ schemas: SchemaChoice[]; ms: number } | null> {
  const startedAt = performance.now();
  const schemas = await source.schemas?.(signal).catch(() => null);
  return schemas ? { schemas: schemas.slice(0, SCHEMA_CHOICES_MAX), ms: performance.now() - startedAt } : null;
}

function inTenths({ name, ms }: TestStep): TestStep {
  return { name, ms: toTenths(ms) };
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Returns the fingerprint of a tunnel's server that is not trusted yet; none for one whose key has changed. */
function unknownHostKeyOf({ details }: AppError): { hostKeySha256?: string } {
  const found = details !== undefined && "hostKeySha256" in details ? details.hostKeySha256 : null;
  return typeof found === "string" ? { hostKeySha256: found } : {};
}

/** Returns a server's version text as one line, for a list. */
function toVersion(said = ""): string {
  const line = said.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return [...line].slice(0, VERSION_CHARS_MAX).join("");
}
