import { describe, expect, it } from "vitest";
import { RequestPacer } from "./request-pacer";

const TURN_MS = 10;
/** Duration of one task, in ms: three of them exceed a turn. */
const WORK_MS = 4;

/** Works on this thread, partly in a promise that settles in the same turn. */
function work(): void {
  burn(WORK_MS / 2);
  void Promise.resolve().then(() => burn(WORK_MS / 2));
}

function burn(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("a paced queue", () => {
  it("fills one turn of the event loop for its time slice only, including what its work settles (F15)", async () => {
    const line = new RequestPacer(TURN_MS);
    const perTurn: number[] = [];
    let done = 0;
    for (let index = 0; index < 40; index += 1) {
      line.enter(() => {
        work();
        done += 1;
      });
    }
    for (let before = 0; done < 40; before = done) {
      await nextTurn();
      perTurn.push(done - before);
    }
    // The turn in which they entered and the next one count as one here.
    expect(Math.max(...perTurn.slice(1))).toBeLessThanOrEqual(3);
    expect(perTurn[0]).toBeLessThanOrEqual(6);
    // No turn passes without one.
    expect(perTurn.length).toBeLessThanOrEqual(42);
  });

  it("runs few jobs at once, in order", () => {
    const line = new RequestPacer(TURN_MS);
    const done: string[] = [];
    line.enter(() => done.push("first"));
    expect(done).toEqual(["first"]);
  });

  it("runs urgent jobs first and loses none", async () => {
    const line = new RequestPacer(TURN_MS);
    const done: string[] = [];
    for (const name of ["a", "b", "c"]) {
      line.enter(() => {
        burn(TURN_MS);
        done.push(name);
      });
    }
    line.enter(() => void done.push("urgent"), { isUrgent: true });
    while (done.length < 4) await nextTurn();
    expect(done).toEqual(["a", "urgent", "b", "c"]);
  });

  it("runs a job that enters during another one after it", async () => {
    const line = new RequestPacer(TURN_MS);
    const done: string[] = [];
    line.enter(() => {
      line.enter(() => void done.push("inner"));
      done.push("outer");
    });
    await nextTurn();
    expect(done).toEqual(["outer", "inner"]);
  });

  it("yields a turn to shorter jobs, but not forever", async () => {
    const line = new RequestPacer(TURN_MS);
    const done: number[] = [];
    line.enter(() => void done.push(performance.now()));
    await nextTurn();
    line.rest();
    for (let index = 0; index < 3; index += 1) line.enter(() => void done.push(performance.now()));
    await nextTurn();
    // Work arrives in every turn.
    while (done.length < 4) {
      line.rest();
      await nextTurn();
    }
    const [first = 0, second = 0] = done;
    expect(second - first).toBeGreaterThanOrEqual(50);
  });
});
