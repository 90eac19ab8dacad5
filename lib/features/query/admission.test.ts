import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { admit } from "./admission";

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Requests a slot and returns whether it was granted yet. */
function ask(workspace: string, connection: string, signal = never) {
  const state = { isIn: false, leave: () => {}, error: null as unknown };
  admit(workspace, connection, signal).then(
    (leave) => Object.assign(state, { isIn: true, leave }),
    (error: unknown) => Object.assign(state, { error }),
  );
  return state;
}

describe("query slots (T55)", () => {
  it("are five per connection and ten per workspace, separate for each workspace", async () => {
    const [workspace, other] = [randomUUID(), randomUUID()];
    const asked = ["a", "b", "c"].flatMap((connection) => Array.from({ length: 6 }, () => ask(workspace, connection)));
    const elsewhere = ask(other, "z");
    await settled();
    expect(asked.map((each) => each.isIn)).toEqual([
      ...Array.from({ length: 5 }, () => true),
      false,
      ...Array.from({ length: 5 }, () => true),
      ...Array.from({ length: 7 }, () => false),
    ]);
    expect(elsewhere.isIn).toBe(true);
  });

  it("go to the first in the queue whose connection has room", async () => {
    const workspace = randomUUID();
    const busy = Array.from({ length: 5 }, () => ask(workspace, "busy"));
    const fill = Array.from({ length: 5 }, () => ask(workspace, "fill"));
    const first = ask(workspace, "busy");
    const second = ask(workspace, "free");
    await settled();
    fill[0]?.leave();
    await settled();
    expect([first.isIn, second.isIn]).toEqual([false, true]);
    busy[0]?.leave();
    await settled();
    expect(first.isIn).toBe(true);
  });

  it("are rejected with Retry-After when fifty wait", async () => {
    const workspace = randomUUID();
    for (let count = 0; count < 55; count += 1) ask(workspace, "one");
    const last = ask(workspace, "one");
    await settled();
    expect(last.error).toMatchObject({ kind: "rate_limited", retryAfterSeconds: expect.any(Number) });
  });

  it("can be given up while waiting, which frees the queue", async () => {
    const workspace = randomUUID();
    const holders = Array.from({ length: 5 }, () => ask(workspace, "one"));
    const leaving = new AbortController();
    const waiting = ask(workspace, "one", leaving.signal);
    const behind = ask(workspace, "one");
    await settled();
    leaving.abort(new Error("gone"));
    holders[0]?.leave();
    await settled();
    expect(waiting).toMatchObject({ isIn: false, error: new Error("gone") });
    expect(behind.isIn).toBe(true);
  });

  it("are released once, however often", async () => {
    const workspace = randomUUID();
    const [first] = Array.from({ length: 5 }, () => ask(workspace, "one"));
    const waiting = [ask(workspace, "one"), ask(workspace, "one")];
    await settled();
    first?.leave();
    first?.leave();
    await settled();
    expect(waiting.map((each) => each.isIn)).toEqual([true, false]);
  });
});
