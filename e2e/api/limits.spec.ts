import { randomUUID } from "node:crypto";
import { type Api, sessionIn } from "./client";
import { expect, expectError, expectOk, newEmail, PASSWORD, register, sampleOf } from "./fixtures";
import { PUBLIC_URL, test } from "./strict-server";

const REGISTRATIONS_AN_HOUR = 30;
const LOGIN_FAILURES = 10;
const FIFTEEN_MINUTES_S = 15 * 60;
const QUERIES_A_CONNECTION = 5;
const QUEUE = 50;
const ENDLESS = "select sum(a.i * b.i) from range(100000000) a(i), range(100000) b(i)";

// Each test hashes up to fifty passwords, which is slow by design.
test.describe.configure({ timeout: 180_000 });

/** A different client in the proxies' header for each request. */
const forged = (n: number) => ({
  "x-forwarded-for": `203.0.113.${n}`,
  "x-real-ip": `198.51.100.${n}`,
  forwarded: `for=192.0.2.${n}`,
  "cf-connecting-ip": `192.0.2.${n}`,
});

function expectLimited(answer: Awaited<ReturnType<Api["get"]>>, longestS: number): void {
  expectError(answer, 429, "rate_limited");
  const retryAfter = Number(answer.headers["retry-after"]);
  expect(Number.isInteger(retryAfter)).toBe(true);
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(longestS);
}

test("T3 T109 allows 30 registrations per address and hour, whatever headers claim", {
  tag: "@long",
}, async ({ strict }) => {
  for (let n = 1; n <= REGISTRATIONS_AN_HOUR; n++) {
    const answer = await strict.post(
      "/api/auth/register",
      { email: newEmail(), password: PASSWORD },
      { headers: forged(n) },
    );
    expect([n, answer.status]).toEqual([n, 201]);
  }
  const refused = await strict.post(
    "/api/auth/register",
    { email: newEmail(), password: PASSWORD },
    { headers: forged(99) },
  );
  expectLimited(refused, 3600);
  expect(refused.setCookies).toEqual([]);
  // Other users of the same office can still sign in and work.
  expectError(
    await strict.post("/api/auth/login", { email: newEmail(), password: PASSWORD }),
    401,
    "invalid_credentials",
  );
});

test("T4 blocks an account for an address after ten failed logins in 15 minutes, and no other account", async ({
  strict,
}) => {
  const [victim, other] = [await register(strict), await register(strict)];
  for (let n = 1; n <= LOGIN_FAILURES; n++) {
    const email = n % 2 ? victim.email : victim.email.toUpperCase();
    const answer = await strict.post("/api/auth/login", { email, password: "wrong password" }, { headers: forged(n) });
    expect([n, answer.status]).toEqual([n, 401]);
  }
  expectLimited(
    await strict.post("/api/auth/login", { email: victim.email, password: "wrong password" }, { headers: forged(99) }),
    FIFTEEN_MINUTES_S,
  );
  expectOk(await strict.post("/api/auth/login", { email: other.email, password: other.password }));
  expectOk(await victim.api.get("/api/auth/me"));
});

test("T4 counts concurrent guesses like sequential ones, and unknown accounts like known ones", {
  tag: "@long",
}, async ({ strict }) => {
  const known = await register(strict);
  for (const email of [known.email, newEmail()]) {
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => strict.post("/api/auth/login", { email, password: "wrong password" })),
    );
    const seen = answers.map(({ status }) => status);
    expect(seen.filter((status) => status === 401)).toHaveLength(LOGIN_FAILURES);
    expect(seen.filter((status) => status === 429)).toHaveLength(15);
  }
});

test("does not count successful logins", { tag: "@long" }, async ({ strict }) => {
  const { email, password } = await register(strict);
  for (let n = 0; n < LOGIN_FAILURES + 5; n++) expectOk(await strict.post("/api/auth/login", { email, password }));
});

test("runs five queries of a connection at once, queues fifty, and returns 429 with Retry-After", async ({
  strict,
}) => {
  const person = await register(strict);
  const id = await sampleOf(person);
  // A new server may still be building the sample: this test measures the queue, not that.
  expectOk(await person.api.post(`${person.home}/databases/${id}/execute`, { query: "select 1" }));
  const leaving = new AbortController();
  let done = 0;
  const asked = Array.from({ length: QUERIES_A_CONNECTION + QUEUE }, () =>
    person.api
      .post(
        `${person.home}/databases/${id}/execute`,
        { query: ENDLESS, timeoutMs: 60_000, executionId: randomUUID() },
        { signal: leaving.signal },
      )
      .then(() => done++)
      .catch(() => {}),
  );
  await expect
    .poll(async () => {
      const { json } = await person.api.get(`${person.home}/executions?limit=200`);
      const count = (wanted: string) =>
        json.data.items.filter(({ status }: { status: string }) => status === wanted).length;
      return [count("running"), count("queued")];
    })
    .toEqual([QUERIES_A_CONNECTION, QUEUE]);
  const over = await person.api.post(`${person.home}/databases/${id}/execute`, { query: "select 1" });
  expectLimited(over, 600);
  expect(done).toBe(0);
  leaving.abort();
  await Promise.all(asked);
  await expect
    .poll(async () => (await person.api.post(`${person.home}/databases/${id}/execute`, { query: "select 1" })).status, {
      timeout: 30_000,
    })
    .toBe(200);
});

test("T9 T106 sets Secure and HSTS on https, and uses the public URL in mail and for Origin", async ({ strict }) => {
  const answer = await strict.post(
    "/api/auth/register",
    { email: newEmail(), password: PASSWORD },
    { headers: { origin: PUBLIC_URL, host: "millrace.example" } },
  );
  expect(answer.status, answer.text).toBe(201);
  const line = answer.setCookies.find((cookie) => cookie.includes("auth_session="));
  expect(line).toMatch(/; Secure(;|$)/i);
  expect(line).toMatch(/^auth_session=/);
  for (const path of ["/api/health", "/login", "/api/nothing"]) {
    const { headers } = await strict.get(path);
    expect(Number(/max-age=(\d+)/.exec(String(headers["strict-transport-security"]))?.[1])).toBeGreaterThanOrEqual(
      31_536_000,
    );
  }
  const api = strict.withSession(sessionIn(answer) ?? "");
  const home = `/api/workspaces/${answer.json.data.workspace.id}`;
  expectOk(await api.patch(home, { name: "By the public address" }, { headers: { origin: PUBLIC_URL } }));
  expectError(await api.patch(home, { name: "x" }, { headers: { origin: "http://millrace.example" } }), 403);
  expect((await api.post(`${home}/invites`, { email: newEmail(), role: "member" })).status).toBe(201);
  const [mail] = (await api.get(`${home}/outbox`)).json.data.items;
  expect(mail.text).toContain(`${PUBLIC_URL}/invites/`);
  expect(mail.html).toContain(`${PUBLIC_URL}/invites/`);
});
