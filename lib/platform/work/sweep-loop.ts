import "server-only";
import { setTimeout as sleep } from "node:timers/promises";
import { database } from "@/lib/platform/db/client";
import { isShuttingDown } from "@/lib/platform/process/shutdown";
import { BEAT_MS, LEASE_MS, SWEEP_MS } from "./limits";

/** Longest normal time between two contacts with the store, in ms: two missed heartbeats. */
const CONTACT_GAP_MAX_MS = 2 * BEAT_MS;

/**
 * Decides whether lapsed leases mean dead servers. After an outage of the store, or a pause of this process, all leases
 * may have lapsed: their holders get the time of a lease to renew them.
 */
export class StoreContact {
  #lastAt: number | null = null;
  #trustedAt = Number.NEGATIVE_INFINITY;

  /** Notes that the store has answered. @param now monotonic clock, in ms */
  note(now: number): void {
    if (this.#lastAt !== null && now - this.#lastAt > CONTACT_GAP_MAX_MS) this.#trustedAt = now + LEASE_MS;
    this.#lastAt = now;
  }

  isSteady(now: number): boolean {
    return now >= this.#trustedAt;
  }
}

/** Sweeps until this process shuts down. @param sweep must not throw */
export async function sweepUntilShutdown(sweep: () => Promise<void>): Promise<void> {
  const contact = new StoreContact();
  while (!isShuttingDown()) {
    if (await isInContact(contact)) await sweep();
    await sleep(SWEEP_MS, undefined, { ref: false });
  }
}

async function isInContact(contact: StoreContact): Promise<boolean> {
  try {
    await database().command({ ping: 1 });
  } catch {
    return false;
  }
  contact.note(performance.now());
  return contact.isSteady(performance.now());
}
