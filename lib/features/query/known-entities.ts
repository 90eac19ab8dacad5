import "server-only";
import { setTimeout as delay } from "node:timers/promises";
import { Coalescer } from "@/lib/base/async/coalescer";
import type { Entity } from "@/lib/base/values/fields";
import type { ConnectionDoc } from "@/lib/features/connections/model";
import { listEntities } from "@/lib/features/connections/service";
import type { Caller } from "@/lib/platform/access/caller";
import { serverMember } from "@/lib/platform/process/server-context";

/** Maximum delay of a response while the tables of its connection load, in ms. They are usually cached. */
const WAIT_MS = 2_500;

/** Running readings by connection: further responses wait for the same one. */
const readings = serverMember("entityReadings", () => new Coalescer<Entity[]>());

/** Returns the tables of a connection; null if they take longer than a response may wait. @throws as `listEntities` */
export async function readKnownEntities(caller: Caller, { _id }: ConnectionDoc): Promise<Entity[] | null> {
  // Continues beyond the wait, so that the next response finds the tables in the cache.
  const { signal } = new AbortController();
  const key = `${caller.workspaceId.toHexString()}:${_id.toHexString()}`;
  const reading = readings().join(key, () => listEntities(caller, _id, { refresh: false, signal }));
  reading.catch(() => undefined);
  const ended = new AbortController();
  try {
    return await Promise.race([reading, delay(WAIT_MS, null, { signal: ended.signal, ref: false })]);
  } finally {
    ended.abort();
  }
}
