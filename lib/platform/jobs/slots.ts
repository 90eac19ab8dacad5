import "server-only";
import { isDuplicateKey } from "@/lib/platform/db/duplicate-key";
import { collections } from "./collections";
import type { RunLimit } from "./model";

/**
 * Takes a slot of each of the limits, or none.
 * @returns null on success; otherwise the name of the limit that is reached
 */
export async function takeSlots(limits: readonly RunLimit[], holder: string): Promise<string | null> {
  for (const [index, one] of limits.entries()) {
    if (await takeSlot(one, holder)) continue;
    await freeSlots(limits.slice(0, index), holder);
    return one.name;
  }
  return null;
}

/** Frees the slots and unblocks the next jobs. */
export async function freeSlots(limits: readonly RunLimit[], holder: string): Promise<void> {
  for (const { name } of limits) {
    await collections.jobSlots().updateOne({ _id: name }, { $pull: { holders: holder } });
    await collections.jobSlots().deleteOne({ _id: name, holders: [] });
    await unblock(name);
  }
}

/**
 * Unblocks the job that has waited longest for a limit. It takes its slot itself, and is blocked again if it comes too
 * late.
 */
export async function unblock(name: string): Promise<void> {
  const filter = { state: "blocked", blockedOn: name } as const;
  const [run, task] = await Promise.all(
    [collections.jobRuns(), collections.jobTasks()].map((each) =>
      // Both document types have these fields, but the driver's types do not overlap.
      (each as ReturnType<typeof collections.jobRuns>).find(filter).sort({ at: 1 }).limit(1).next(),
    ),
  );
  const isRun = run && (!task || run.at <= task.at);
  const ready = { $set: { state: "ready" as const, blockedOn: null } };
  if (isRun) await collections.jobRuns().updateOne({ _id: run._id, ...filter }, ready);
  else if (task) await collections.jobTasks().updateOne({ _id: task._id, ...filter }, ready);
}

/**
 * Returns whether a limit has a free slot. A job that was just blocked checks again, because a slot may have been freed
 * in between.
 */
export async function hasRoom(name: string): Promise<boolean> {
  const slot = await collections.jobSlots().findOne({ _id: name });
  return slot === null || slot.holders.length < slot.limit;
}

/**
 * Frees slots whose holders have no lease any more, and unblocks jobs where there is room: leftovers of a process that
 * died between two steps.
 * @param suspects holders found by the previous sweep; a holder that is just changing hands is found only once
 * @returns the holders found by this sweep
 */
export async function sweepSlots(suspects: ReadonlySet<string>): Promise<Set<string>> {
  const found = new Set<string>();
  for await (const { _id, limit, holders } of collections.jobSlots().find()) {
    const idle = await withoutLease(holders);
    for (const holder of idle) {
      if (suspects.has(holder)) await freeSlots([{ name: _id, limit }], holder);
      else found.add(holder);
    }
    if (holders.length < limit) await unblock(_id);
  }
  for (const collection of [collections.jobRuns(), collections.jobTasks()]) {
    const names = await (collection as ReturnType<typeof collections.jobRuns>).distinct("blockedOn", {
      state: "blocked",
    });
    for (const name of names) if (typeof name === "string" && (await hasRoom(name))) await unblock(name);
  }
  return found;
}

async function takeSlot({ name, limit }: RunLimit, holder: string): Promise<boolean> {
  const isFree = { $or: [{ holders: holder }, { [`holders.${limit - 1}`]: { $exists: false } }] };
  try {
    await collections
      .jobSlots()
      .updateOne({ _id: name, ...isFree }, { $addToSet: { holders: holder }, $set: { limit } }, { upsert: true });
    return true;
  } catch (error) {
    // The document exists and has no room, so the upsert tries to insert a second one.
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}

async function withoutLease(holders: readonly string[]): Promise<string[]> {
  const filter = { _id: { $in: [...holders] }, state: "leased" as const };
  const projection = { projection: { _id: 1 } };
  const leased = await Promise.all([
    collections.jobRuns().find(filter, projection).toArray(),
    collections.jobTasks().find(filter, projection).toArray(),
  ]);
  const held = new Set(leased.flat().map((each) => each._id));
  return holders.filter((holder) => !held.has(holder));
}
