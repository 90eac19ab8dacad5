import "server-only";
import { ObjectId } from "mongodb";
import type { Caller } from "@/lib/platform/access/caller";
import { type Page, readCursor, toPage, withExtra } from "@/lib/platform/http/paging";
import { collections } from "./collections";
import { EVENT_BYTES } from "./inbound";
import type { FlowEventDoc, FlowRefusalDoc } from "./model";
import type { Arrival, ArrivalsQuery } from "./schema";
import { getWebhookOrThrow } from "./webhook";
import { REFUSALS_KEPT } from "./webhook-store";

/** Excludes the payload, which may be large and is needed only by the batch. */
const WITHOUT_PAYLOAD = { payload: 0 } as const;

/**
 * Returns the events that a webhook received within seven days, newest first: every accepted event, and the latest of
 * the rejected ones.
 * @throws AppError `not_found`; `invalid_request` for a flow of another type
 */
export async function listArrivals(
  caller: Caller,
  flowId: ObjectId,
  { status, eventId, limit, cursor }: ArrivalsQuery,
): Promise<Page<Arrival>> {
  await getWebhookOrThrow(caller, flowId);
  const before = readCursor(cursor);
  const wanted = {
    workspaceId: caller.workspaceId,
    flowId,
    ...(eventId !== undefined && { eventId }),
    ...(before && { _id: { $lt: before } }),
  };
  const [taken, refused] = await Promise.all([
    status === undefined
      ? collections
          .flowEvents()
          .find(wanted, { projection: WITHOUT_PAYLOAD })
          .sort({ _id: -1 })
          .limit(withExtra(limit))
          .toArray()
      : [],
    collections
      .flowRefusals()
      .find({ ...wanted, ...(status && { status }) })
      .sort({ _id: -1 })
      .limit(Math.min(REFUSALS_KEPT, withExtra(limit)))
      .toArray(),
  ]);
  const all = [...taken.map(ofTaken), ...refused.map(ofRefused)].sort((a, b) => (a.id < b.id ? 1 : -1));
  return toPage(
    all.map((item) => ({ _id: new ObjectId(item.id), item })),
    limit,
    ({ item }) => item,
  );
}

function ofTaken(doc: FlowEventDoc): Arrival {
  return {
    ...commonOf(doc),
    status: doc.isPending ? "waiting" : doc.isFailed ? "failed" : "written",
    bytes: doc.bytes - EVENT_BYTES,
    runId: doc.runId?.toHexString() ?? null,
    reason: doc.reason ?? null,
    from: null,
    agent: null,
    snippet: null,
  };
}

function ofRefused(doc: FlowRefusalDoc): Arrival {
  return {
    ...commonOf(doc),
    status: doc.status,
    bytes: doc.bytes,
    runId: null,
    reason: doc.reason ?? null,
    from: doc.from ?? null,
    agent: doc.agent ?? null,
    snippet: doc.snippet ?? null,
  };
}

function commonOf({ _id, eventId, type, receivedAt }: FlowEventDoc | FlowRefusalDoc) {
  return {
    id: _id.toHexString(),
    eventId: eventId ?? null,
    type: type ?? null,
    receivedAt: receivedAt.toISOString(),
  };
}
