import "server-only";
import type { ObjectId } from "mongodb";
import { accessOf } from "@/lib/features/folders/model";
import { CONTENT_TYPES } from "@/lib/features/query/schema";
import type { QueryRequest } from "@/lib/features/query/service";
import { FirstRows, keepSoon } from "@/lib/features/results/first-rows";
import { dropLatest, readLatest } from "@/lib/features/results/latest";
import type { ResultOwner } from "@/lib/features/results/model";
import type { Caller } from "@/lib/platform/access/caller";
import { publish } from "@/lib/platform/events/publish";
import { log } from "@/lib/platform/log";
import { collections } from "./collections";
import type { ConsoleDoc } from "./model";
import type { LastResult } from "./schema";
import { getConsoleDocOrThrow } from "./service";

type Ran = Pick<LastResult, "statement" | "variables"> & { connectionId: ObjectId };
/** Metadata stored with the rows. */
type Facts = Pick<LastResult, "executionId" | "runId" | "connectionId" | "statement" | "variables" | "databaseMs"> & {
  /** Absent in results of earlier versions, like `moreResults`. */
  affectedRows?: number | null;
  moreResults?: number;
  /** Whether the console was private when it was run. */
  isPrivate: boolean;
};

/** Stores the first rows of a console's run as its last result. A statement without columns keeps the previous one. */
export function keepAsLast(caller: Caller, doc: ConsoleDoc, ran: Ran): QueryRequest["watch"] {
  const at = new Date();
  const { via, user } = caller;
  const isPrivate = accessOf(doc.space) === "private";
  return (fields) => {
    const rows = new FirstRows();
    return {
      take: (batch) => rows.take(batch),
      end(outcome) {
        if (outcome === null) return rows.release();
        const { executionId, rowCount, truncated, affectedRows, moreResults, durationMs, databaseMs } = outcome;
        const told = { executionId, userId: user._id.toHexString(), affectedRows };
        if (fields.length === 0) {
          rows.release();
          if (affectedRows !== null) void publishExecutionEvent(doc, told).catch(logUnpublished);
          return;
        }
        const facts: Facts = {
          executionId,
          runId: via.kind === "job" ? via.runId.toHexString() : null,
          connectionId: ran.connectionId.toHexString(),
          statement: ran.statement,
          variables: ran.variables,
          databaseMs,
          affectedRows,
          moreResults,
          isPrivate,
        };
        const result = { fields: [...fields], rowCount, truncated, durationMs, at, userId: user._id };
        keepSoon({
          owner: ownerOf(doc.workspaceId, doc._id),
          rows,
          result: { ...result, facts: JSON.stringify(facts) },
          kept: () => publishExecutionEvent(doc, told),
        });
      },
    };
  };
}

/**
 * Returns a console's last result to a user who can see the console; null without one. A result from the time when the
 * console was private stays visible only to the user who ran it, even after the console is shared.
 * @throws AppError `not_found` for the console
 */
export async function lastResultResponse(caller: Caller, consoleId: ObjectId): Promise<Response> {
  const doc = await getConsoleDocOrThrow(caller, consoleId);
  const latest = await readLatest(ownerOf(caller.workspaceId, doc._id));
  if (!latest) return answer([Buffer.from(`{"success":true,"data":null}`)]);
  const { isPrivate, affectedRows = null, moreResults = 0, ...facts }: Facts = JSON.parse(latest.facts);
  const { userId, at, fields, rowCount, keptRows, truncated, durationMs, rows } = latest;
  if (isPrivate && !userId.equals(caller.user._id)) return answer([Buffer.from(`{"success":true,"data":null}`)]);
  const head: Omit<LastResult, "rows"> = {
    ...facts,
    affectedRows,
    moreResults,
    userId: userId.toHexString(),
    startedAt: at.toISOString(),
    fields,
    rowCount,
    keptRows,
    truncated,
    durationMs,
  };
  const data = JSON.stringify(head).slice(0, -1);
  return answer([Buffer.from(`{"success":true,"data":${data},"rows":[`), rows, Buffer.from("]}}")]);
}

/** Removes the last result of a deleted console. */
export function dropLastResult(workspaceId: ObjectId, consoleId: ObjectId): Promise<void> {
  return dropLatest(ownerOf(workspaceId, consoleId));
}

function logUnpublished(error: unknown): void {
  log.warn({ err: error }, "the event of a console's run was not sent");
}

/** Publishes the run: for a private console to its owner only. Drops the result of a console deleted in between. */
async function publishExecutionEvent(
  { workspaceId, _id }: ConsoleDoc,
  data: { executionId: string; userId: string; affectedRows: number | null },
): Promise<void> {
  const doc = await collections.consoles().findOne({ _id, workspaceId }, { projection: { space: 1, ownerId: 1 } });
  if (!doc) return dropLastResult(workspaceId, _id);
  const onlyFor = accessOf(doc.space) === "private" ? { onlyFor: doc.ownerId } : {};
  publish({ workspaceId, kind: "execution", resourceType: "console", resourceId: _id, ...onlyFor, data });
}

function ownerOf(workspaceId: ObjectId, id: ObjectId): ResultOwner {
  return { workspaceId, kind: "console", id };
}

function answer(pieces: Buffer[]): Response {
  const body = Buffer.concat(pieces);
  return new Response(body, {
    headers: {
      "Content-Type": CONTENT_TYPES.json,
      "Content-Length": String(body.length),
      "Cache-Control": "no-store",
    },
  });
}
