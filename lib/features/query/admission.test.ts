import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admit, admitLargeAnswer, type QueuePlace } from "./admission";

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

type Asked = { isIn: boolean; leave: () => void; error: unknown; readPlace: () => QueuePlace | null };
type Asking = { connection?: string; person?: string; max?: number; signal?: AbortSignal };

/** Requests a slot and tells whether it was granted yet. Each request is of another person, unless one is named. */
function ask(workspaceId: string, { connection = "one", person = randomUUID(), max, signal = never }: Asking = {}) {
  const state: Asked = { isIn: false, leave: () => {}, error: null, readPlace: () => null };
  const applicant = { workspaceId, connectionId: connection, userId: person, queriesMax: max };
  const onQueued = (readPlace: Asked["readPlace"]) => Object.assign(state, { readPlace });
  admit(applicant, signal, onQueued).then(
    (leave) => Object.assign(state, { isIn: true, leave }),
    (error: unknown) => Object.assign(state, { error }),
  );
  return state;
}

const askMany = (count: number, workspaceId: string, asking?: Asking) =>
  Array.from({ length: count }, () => ask(workspaceId, asking));
const countIn = (asked: readonly Asked[]) => asked.filter(({ isIn }) => isIn).length;

describe("places of large responses", () => {
  it("are eight per workspace, given in order, and free again after a query that left while it waited", async () => {
    const [workspace, other] = [randomUUID(), randomUUID()];
    const leaving = new AbortController();
    const held = await Promise.all(Array.from({ length: 8 }, () => admitLargeAnswer(workspace, never)));
    const order: string[] = [];
    const left = admitLargeAnswer(workspace, leaving.signal).catch(() => order.push("left"));
    const next = admitLargeAnswer(workspace, never).then(() => order.push("next"));
    await admitLargeAnswer(other, never);
    leaving.abort();
    await left;
    await settled();
    expect(order).toEqual(["left"]);
    held[0]?.();
    held[0]?.();
    await next;
    let isIn = false;
    void admitLargeAnswer(workspace, never).then(() => {
      isIn = true;
    });
    await settled();
    expect(isIn).toBe(false);
  });
});

describe("query slots (T55)", () => {
  it("are those of the driver per connection and forty per workspace, separate for each workspace", async () => {
    const [workspace, other] = [randomUUID(), randomUUID()];
    const asked = ["a", "b", "c"].map((connection) => askMany(22, workspace, { connection, max: 20 }));
    const elsewhere = ask(other);
    await settled();
    expect(asked.map(countIn)).toEqual([20, 20, 0]);
    expect(elsewhere.isIn).toBe(true);
  });

  it("are five for a connection without a number", async () => {
    const asked = askMany(7, randomUUID());
    await settled();
    expect(countIn(asked)).toBe(5);
  });

  it("are kept in part for people without a query on the connection", async () => {
    const workspace = randomUUID();
    const greedy = askMany(30, workspace, { person: "greedy", max: 20 });
    const others = askMany(6, workspace, { max: 20 });
    await settled();
    expect([countIn(greedy), countIn(others)]).toEqual([15, 5]);
  });

  it("go to the person with the fewest running queries, and in the order of the queue among equals", async () => {
    const workspace = randomUUID();
    const busy = askMany(3, workspace, { person: "busy", max: 4 });
    const [other] = askMany(1, workspace, { max: 4 });
    const more = askMany(5, workspace, { person: "busy", max: 4 });
    const [first, second] = askMany(2, workspace, { max: 4 });
    await settled();
    other?.leave();
    await settled();
    expect([countIn(more), first?.isIn, second?.isIn]).toEqual([0, true, false]);
    busy[0]?.leave();
    await settled();
    expect([countIn(more), second?.isIn]).toEqual([0, true]);
    first?.leave();
    second?.leave();
    await settled();
    expect([countIn(more), more[0]?.isIn]).toEqual([2, true]);
  });

  it("of other connections are not held up by a queue", async () => {
    const workspace = randomUUID();
    askMany(6, workspace, { connection: "busy" });
    const free = ask(workspace, { connection: "free" });
    await settled();
    expect(free.isIn).toBe(true);
  });

  it("are rejected with Retry-After when two hundred wait, or fifty of one person", async () => {
    const workspace = randomUUID();
    askMany(5, workspace);
    askMany(50, workspace, { person: "eager" });
    const eager = ask(workspace, { person: "eager" });
    const others = askMany(150, workspace);
    const last = ask(workspace);
    await settled();
    for (const { error } of [eager, last]) {
      expect(error).toMatchObject({ kind: "rate_limited", retryAfterSeconds: expect.any(Number) });
    }
    expect(others.every(({ error }) => error === null)).toBe(true);
  });

  it("can be given up while waiting, which frees the queue", async () => {
    const workspace = randomUUID();
    const holders = askMany(5, workspace);
    const leaving = new AbortController();
    const waiting = ask(workspace, { signal: leaving.signal });
    const behind = ask(workspace);
    await settled();
    leaving.abort(new Error("gone"));
    holders[0]?.leave();
    await settled();
    expect(waiting).toMatchObject({ isIn: false, error: new Error("gone") });
    expect(behind.isIn).toBe(true);
  });

  it("have positions in the order in which they will be taken, and an expected wait", async () => {
    const workspace = randomUUID();
    const [first, second] = askMany(2, workspace, { person: "busy", max: 2 });
    const greedy = askMany(3, workspace, { person: "greedy", max: 2 });
    const [other] = askMany(1, workspace, { max: 2 });
    const elsewhere = ask(workspace, { connection: "free", max: 1 });
    await settled();
    const positions = () => [...greedy, other].map((each) => each?.readPlace()?.position ?? null);
    expect(positions()).toEqual([1, 3, 4, 2]);
    expect([first?.readPlace(), elsewhere.readPlace()]).toEqual([null, null]);
    const waits = greedy.map((each) => each.readPlace()?.expectedWaitMs ?? -1);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits[0]).toBeGreaterThanOrEqual(0);
    first?.leave();
    await settled();
    expect(positions()).toEqual([null, 2, 3, 1]);
    second?.leave();
    await settled();
    expect([other?.isIn, ...positions()]).toEqual([true, null, 1, 2, null]);
  });

  it("follow the connection's latest limit in the queue, too, so that no later query overtakes", async () => {
    const workspace = randomUUID();
    const [first] = askMany(1, workspace, { max: 1 });
    const waiting = askMany(2, workspace, { max: 1 });
    const later = ask(workspace, { max: 3 });
    await settled();
    expect([...waiting, later].map(({ isIn }) => isIn)).toEqual([true, true, false]);
    const last = ask(workspace, { max: 1 });
    first?.leave();
    waiting[0]?.leave();
    await settled();
    expect([later.isIn, last.isIn]).toEqual([false, false]);
    waiting[1]?.leave();
    await settled();
    expect([later.isIn, last.isIn]).toEqual([true, false]);
    later.leave();
    await settled();
    expect(last.isIn).toBe(true);
  });

  it("are ordered once for all places that are read until a query comes or goes", async () => {
    const workspaceId = randomUUID();
    const signal = new AbortController().signal;
    let reads = 0;
    const readPlaces: (() => QueuePlace | null)[] = [];
    const releases: (() => void)[] = [];
    const enter = (person: number) => {
      const applicant = {
        ...{ workspaceId, connectionId: "one", queriesMax: 1 },
        get userId() {
          reads += 1;
          return String(person);
        },
      };
      const admitted = admit(applicant, signal, (readPlace) => readPlaces.push(readPlace));
      void admitted.then((release) => releases.push(release));
    };
    for (let person = 0; person < 101; person += 1) enter(person);
    await settled();
    const readsOf = (work: () => unknown) => {
      reads = 0;
      work();
      return reads;
    };
    const one = readsOf(() => readPlaces.at(-1)?.());
    expect(one).toBeGreaterThan(0);
    expect(
      readsOf(() =>
        expect(readPlaces.map((read) => read()?.position)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1)),
      ),
    ).toBe(0);
    releases[0]?.();
    await settled();
    const again = readsOf(() => expect(readPlaces.at(-1)?.()?.position).toBe(99));
    expect(again).toBeGreaterThan(0);
    expect(again).toBeLessThan(one);
  });

  it("are released once, however often", async () => {
    const workspace = randomUUID();
    const [first] = askMany(5, workspace);
    const waiting = askMany(2, workspace);
    await settled();
    first?.leave();
    first?.leave();
    await settled();
    expect(waiting.map((each) => each.isIn)).toEqual([true, false]);
  });
});
