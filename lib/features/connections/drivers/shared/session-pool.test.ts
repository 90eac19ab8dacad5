import { expect, test } from "vitest";
import { TooManyConnections } from "./failures";
import { SERVER_QUERIES_DEFAULT, sessionsMaxFor } from "./limits";
import { type PooledSession, SessionPool } from "./session-pool";

const SESSIONS_MAX = sessionsMaxFor(SERVER_QUERIES_DEFAULT);

class Session implements PooledSession {
  isAlive = true;
  isIdle = false;
  destroy(): void {
    this.isAlive = false;
  }
  setIdle(isIdle: boolean): void {
    this.isIdle = isIdle;
  }
}

const ANY = new AbortController().signal;

function poolOf() {
  const opened: Session[] = [];
  const pool = new SessionPool(async () => {
    const session = new Session();
    opened.push(session);
    return session;
  });
  return { pool, opened };
}

test("reuses a live session and drops a dead one", async () => {
  const { pool, opened } = poolOf();
  const first = await pool.acquire(ANY);
  pool.release(first, true);
  expect(await pool.acquire(ANY)).toBe(first);
  pool.release(first, true);
  first.destroy();
  expect(await pool.acquire(ANY)).not.toBe(first);
  expect(opened).toHaveLength(2);
});

test("opens no more sessions than allowed; waiting callers get released sessions or a new one", async () => {
  const { pool, opened } = poolOf();
  const held = await Promise.all(Array.from({ length: SESSIONS_MAX }, () => pool.acquire(ANY)));
  const waiting = [pool.acquire(ANY), pool.acquire(ANY)];
  pool.release(held[0] as Session, true);
  expect(await waiting[0]).toBe(held[0]);
  pool.release(held[1] as Session, false);
  expect(held[1]?.isAlive).toBe(false);
  await waiting[1];
  expect(opened).toHaveLength(SESSIONS_MAX + 1);
});

test("removes a caller that stops waiting from the queue", async () => {
  const { pool } = poolOf();
  const held = await Promise.all(Array.from({ length: SESSIONS_MAX }, () => pool.acquire(ANY)));
  const stop = new AbortController();
  const left = pool.acquire(stop.signal);
  const next = pool.acquire(ANY);
  stop.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  pool.release(held[0] as Session, true);
  expect(await next).toBe(held[0]);
});

test("frees the slot of a failed opening", async () => {
  let fails = true;
  const pool = new SessionPool<Session>(async () => {
    if (fails) throw new Error("refused");
    return new Session();
  });
  for (let turn = 0; turn < SESSIONS_MAX * 2; turn += 1) await expect(pool.acquire(ANY)).rejects.toThrow("refused");
  fails = false;
  expect((await pool.acquire(ANY)).isAlive).toBe(true);
});

test("lets the next caller try after a failed opening", async () => {
  let fails = false;
  const pool = new SessionPool<Session>(async () => {
    if (fails) throw new Error("refused");
    return new Session();
  });
  const held = await Promise.all(Array.from({ length: SESSIONS_MAX }, () => pool.acquire(ANY)));
  const [unlucky, next] = [pool.acquire(ANY), pool.acquire(ANY)];
  fails = true;
  pool.release(held[0] as Session, false);
  fails = false;
  await expect(unlucky).rejects.toThrow("refused");
  expect((await next).isAlive).toBe(true);
});

test("gives a session for a caller that left to the next one, and to no one after close", async () => {
  const openings: ((session: Session) => void)[] = [];
  const pool = new SessionPool<Session>(() => new Promise((resolve) => openings.push(resolve)));
  const holding = Array.from({ length: SESSIONS_MAX }, () => pool.acquire(ANY));
  for (const open of openings.splice(0)) open(new Session());
  const held = await Promise.all(holding);
  const stop = new AbortController();
  const left = [pool.acquire(stop.signal), pool.acquire(stop.signal)];
  const next = pool.acquire(ANY);
  for (const session of held.slice(0, 2)) pool.release(session, false);
  stop.abort(new Error("gone"));
  await expect(Promise.allSettled(left)).resolves.toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  const [first, second] = [new Session(), new Session()];
  openings[0]?.(first);
  expect(await next).toBe(first);
  for (const session of [first, ...held.slice(2)]) pool.release(session, true);
  await pool.close();
  openings[1]?.(second);
  await expect.poll(() => second.isAlive).toBe(false);
});

test("waits on close for running statements and ends all sessions", async () => {
  const { pool, opened } = poolOf();
  const [busy, idle] = [await pool.acquire(ANY), await pool.acquire(ANY)];
  pool.release(idle, true);
  let isClosed = false;
  const closed = pool.close().then(() => {
    isClosed = true;
  });
  await Promise.resolve();
  expect([isClosed, idle.isAlive]).toEqual([false, false]);
  pool.release(busy, true);
  await closed;
  expect(opened.map((session) => session.isAlive)).toEqual([false, false]);
  await expect(pool.acquire(ANY)).rejects.toMatchObject({ kind: "unavailable" });
});

test("waits for one of its sessions when the server refuses another", async () => {
  const opened: Session[] = [];
  const pool = new SessionPool(async () => {
    if (opened.length === 2) throw new TooManyConnections(null);
    const session = new Session();
    opened.push(session);
    return session;
  });
  const held = await Promise.all([pool.acquire(ANY), pool.acquire(ANY)]);
  const waiting = [pool.acquire(ANY), pool.acquire(ANY)];
  pool.release(held[0] as Session, true);
  expect(await waiting[0]).toBe(held[0]);
  pool.release(held[1] as Session, true);
  expect(await waiting[1]).toBe(held[1]);
});

test("fails when the server refuses every session", async () => {
  const pool = new SessionPool<Session>(async () => {
    throw new TooManyConnections(null);
  });
  const asked = Array.from({ length: 5 }, () => pool.acquire(ANY));
  for (const each of await Promise.allSettled(asked)) {
    expect(each).toMatchObject({ status: "rejected", reason: { kind: "source_unreachable" } });
  }
});
