import { describe, expect, it } from "vitest";
import { backoffMs, isHopeless } from "./durable-work";
import { BEAT_MS, FRUITLESS_LAPSES_MAX, LEASE_MS, SWEEP_MS, TAKE_UP_MS, WORKER_BEATS, WORKER_LEASE_MS } from "./limits";
import { StoreContact } from "./sweep-loop";

describe("the times of durable work", () => {
  it("finds a dead server's work within 15 s, whenever it died between two sweeps", () => {
    // It dies right after a heartbeat, and a sweep has just passed when the lease lapses.
    for (let phaseMs = 0; phaseMs < SWEEP_MS; phaseMs += 100) {
      const foundAt = Math.ceil((LEASE_MS - phaseMs) / SWEEP_MS) * SWEEP_MS + phaseMs;
      expect(foundAt).toBeLessThanOrEqual(TAKE_UP_MS);
    }
    expect(TAKE_UP_MS).toBeLessThanOrEqual(15_000);
  });

  it("finds the jobs of a dead worker within 15 s, when its last beat was seen late", () => {
    const beatMs = WORKER_LEASE_MS / WORKER_BEATS;
    // Seen one interval after the beat, and found at the first sweep after the lease.
    expect(beatMs + WORKER_LEASE_MS + beatMs).toBeLessThanOrEqual(TAKE_UP_MS);
  });

  it("lets a server keep its work when its event loop is blocked for some seconds", () => {
    // The block begins just before a heartbeat.
    expect(LEASE_MS - BEAT_MS).toBeGreaterThanOrEqual(8_000);
  });

  it("doubles the pause with each failure, up to ten minutes", () => {
    expect([1, 2, 3, 20].map((failures) => backoffMs(failures))).toEqual([15_000, 30_000, 60_000, 600_000]);
  });

  it("gives work up that lapses without progress, counting the lapse just found", () => {
    const claim = { token: null as never, at: new Date(0) };
    const lapsed = (fruitlessLapses: number) => ({
      work: { ...{ starts: 1, lapses: 9, wakes: 0, fruitlessLapses }, claim },
    });
    expect(isHopeless(lapsed(FRUITLESS_LAPSES_MAX - 1))).toBe(false);
    expect(isHopeless(lapsed(FRUITLESS_LAPSES_MAX))).toBe(true);
    expect(isHopeless({})).toBe(false);
  });
});

describe("a sweep's contact with the store", () => {
  it("is steady from the start, and after contacts in a row", () => {
    const contact = new StoreContact();
    for (let at = 0; at <= 10 * SWEEP_MS; at += SWEEP_MS) {
      contact.note(at);
      expect(contact.isSteady(at)).toBe(true);
    }
  });

  it("gives all holders the time of a lease after an outage, or after a pause of this process", () => {
    const contact = new StoreContact();
    contact.note(0);
    contact.note(60_000);
    for (const at of [60_000, 60_000 + LEASE_MS - 1]) expect(contact.isSteady(at)).toBe(false);
    contact.note(60_000 + SWEEP_MS);
    expect(contact.isSteady(60_000 + LEASE_MS)).toBe(true);
  });
});
