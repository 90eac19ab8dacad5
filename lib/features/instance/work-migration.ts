import "server-only";
import type { Document } from "mongodb";
import { LEASE_MS } from "@/lib/platform/work/limits";
import { inMs } from "@/lib/platform/work/model";
import { collections } from "./collections";

/**
 * Moves the state of unfinished work from its fields of schema version 1 to `work`. Documents that have ended keep the
 * old fields, which nothing reads.
 */
export async function moveWorkIntoOneField(): Promise<void> {
  await collections.runs().updateMany({ isUnfinished: true, work: { $exists: false } }, [
    {
      $set: {
        work: {
          dueAt: dueFrom("$dueAt"),
          claim: claimFrom("$holder", "$startedAt"),
          starts: countFrom("$starts"),
          lapses: countFrom("$lapses"),
          fruitlessLapses: countFrom("$fruitlessLapses"),
          wakes: 0,
          cancelAt: { $ifNull: ["$cancelRequestedAt", "$$REMOVE"] },
        },
      },
    },
    { $unset: ["dueAt", "holder", "starts", "lapses", "fruitlessLapses", "nextLookAt"] },
  ]);
  await collections
    .appOperations()
    .updateMany({ state: { $in: ["queued", "running"] }, work: { $exists: false } }, [
      { $set: { work: { ...NEW, dueAt: dueFrom("$until"), claim: { token: "$_id", at: "$createdAt" }, starts: 1 } } },
      { $unset: "until" },
    ]);
  await collections.datasets().updateMany({ "refresh.until": { $exists: true } }, [
    {
      $set: {
        work: {
          ...NEW,
          dueAt: dueFrom("$refresh.until"),
          claim: claimFrom("$refresh.holder", "$refresh.since"),
          starts: 1,
        },
      },
    },
    { $unset: ["refresh.holder", "refresh.until"] },
  ]);
  await collections.deliveries().updateMany({ dueAt: { $exists: true } }, [
    {
      $set: {
        work: {
          ...NEW,
          // The pause before a retry stays.
          dueAt: "$dueAt",
          claim: claimFrom("$inFlight.holder", "$inFlight.at"),
          starts: countFrom("$attempts"),
          wakes: countFrom("$sweeps"),
        },
      },
    },
    { $unset: ["dueAt", "inFlight", "sweeps"] },
  ]);
  // Each link is synced once, and checked every ten minutes from then on.
  await collections
    .repoLinks()
    .updateMany({ work: { $exists: false } }, [{ $set: { work: { ...NEW, dueAt: "$$NOW" } } }]);
}

/**
 * Makes what servers of schema version 2 have left behind due: removals of apps, bindings of published apps, and
 * answers in chats.
 */
export async function makeDurable(): Promise<void> {
  const due = { $set: { work: { ...NEW, dueAt: "$$NOW" } } };
  await collections.appRemovals().updateMany({ work: { $exists: false } }, [due]);
  await collections
    .appBindingSets()
    .updateMany({ unsettledSince: { $exists: true } }, [due, { $unset: "unsettledSince" }]);
  await collections
    .chatMessages()
    .updateMany({ state: "running", work: { $exists: false } }, [due, { $unset: "aliveAt" }]);
}

const NEW = { starts: 0, lapses: 0, fruitlessLapses: 0, wakes: 0 };

/** Returns a due time that is at most a lease away: no server that knows `work` renews the old one. */
function dueFrom(field: string): Document {
  return { $min: [{ $ifNull: [field, "$$NOW"] }, inMs(LEASE_MS)] };
}

function claimFrom(token: string, at: string): Document {
  const isHeld = { $ne: [{ $ifNull: [token, null] }, null] };
  return { $cond: [isHeld, { token, at: { $ifNull: [at, "$$NOW"] } }, "$$REMOVE"] };
}

function countFrom(field: string): Document {
  return { $ifNull: [field, 0] };
}
