import { randomUUID } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { PASSWORD, seedPerson } from "@/test/seed";

process.env.RATE_LIMIT_SCALE = "1000";
process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

const SAMPLES_MAX = 200;
/** A real difference stays at any number of samples; runtime noise averages out. */
const LOOK_EVERY = 25;
/** A hash takes about ten ms, and the rest of an answer one or two. */
const DIFFERENCE_MAX_MS = 2;

/** Returns the processor time of this process in ms, including hashing: other load does not affect it. */
async function workOfLogin(email: string): Promise<number> {
  const before = process.cpuUsage();
  const answer = await call("POST", "/api/auth/login", { body: { email, password: "not the password" } });
  expect(answer.status).toBe(401);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

it("takes a login of an unknown address as long as a wrong password (T2)", {
  tags: ["long"],
  timeout: 120_000,
}, async () => {
  const { email } = await seedPerson();
  const unknownEmail = () => `${randomUUID()}@example.com`;
  const known: number[] = [];
  const unknown: number[] = [];
  await workOfLogin(unknownEmail());
  let isEqual = false;
  while (!isEqual && known.length < SAMPLES_MAX) {
    for (let i = 0; i < LOOK_EVERY; i += 1) {
      if (i % 2 === 0) known.push(await workOfLogin(email));
      unknown.push(await workOfLogin(unknownEmail()));
      if (i % 2 === 1) known.push(await workOfLogin(email));
    }
    const [a, b] = [median(known), median(unknown)];
    isEqual = Math.abs(a - b) < DIFFERENCE_MAX_MS;
  }
  expect(isEqual).toBe(true);
  // Both computed a hash.
  expect(Math.min(...known, ...unknown)).toBeGreaterThan(2 * DIFFERENCE_MAX_MS);
});

it("rejects a password of a megabyte before hashing (T6)", async () => {
  const { email } = await seedPerson();
  for (const size of [1_000_000, 15_000, 513]) {
    for (const path of ["/api/auth/login", "/api/auth/register", "/api/auth/password/reset"]) {
      const spent: number[] = [];
      for (let i = 0; i < 3; i += 1) {
        const before = process.cpuUsage();
        const answer = await call("POST", path, { body: { email, token: "x", password: "x".repeat(size) } });
        const { user, system } = process.cpuUsage(before);
        spent.push((user + system) / 1000);
        expect([path, answer.status]).toEqual([path, size > 16_384 ? 413 : 400]);
      }
      expect(Math.min(...spent)).toBeLessThan(50);
    }
  }
  expect((await call("POST", "/api/auth/login", { body: { email, password: PASSWORD } })).status).toBe(200);
});

function median(values: number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? Number.NaN;
}
