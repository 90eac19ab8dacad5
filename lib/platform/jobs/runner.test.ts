// @module-tag heavy
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const SECRETS = {
  AUTH_SECRET: "a-secret-of-the-tests-which-guards-nothing",
  ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 1).toString("base64")}`,
};
const RUNNER = { INNGEST_EVENT_KEY: "events", INNGEST_SIGNING_KEY: "signkey-test-00" };

/** Loads the modules with these settings, which they read only once. */
async function withSettings(settings: Record<string, string>) {
  for (const [name, value] of Object.entries({ ...SECRETS, ...settings })) vi.stubEnv(name, value);
  const [runner, { startJobs }, { inngest }] = await Promise.all([
    import("./runner"),
    import("./start"),
    import("@/inngest/client"),
  ]);
  return { ...runner, startJobs, inngest };
}

it.each([
  [{ ...RUNNER, INNGEST_BASE_URL: "http://jobs.example:8288" }, "http://jobs.example:8288"],
  [RUNNER, undefined],
  [{ ...RUNNER, VERCEL: "1", MONGODB_URI: "mongodb://db.example" }, undefined],
])("with an external runner (%j) starts no executor and uses the runner's URL and keys", async (settings, url) => {
  const { startJobs, runnerUrl, runnerKeys, inngest } = await withSettings(settings);
  // Inngest's cloud has no address to check.
  expect(await startJobs()).toEqual(url === undefined ? null : expect.any(Function));
  expect(runnerUrl()).toBe(url);
  expect(runnerKeys()).toEqual({ signingKey: "signkey-test-00", signingKeyFallback: null, eventKey: "events" });
  expect(inngest.eventBaseUrl).toBe(url ?? "https://inn.gs/");
  expect(inngest.mode).toBe("cloud");
});

it("without one derives keys from AUTH_SECRET and sends nothing elsewhere before the executor is up", async () => {
  const { isEmbeddedRunner, runnerKeys, inngest } = await withSettings({});
  expect(isEmbeddedRunner()).toBe(true);
  expect(runnerKeys().signingKey).toMatch(/^signkey-embedded-[0-9a-f]{64}$/);
  await expect(inngest.send({ name: "a/b" })).rejects.toThrow("has not started yet");
});

it("ignores development mode in the environment", async () => {
  const { inngest } = await withSettings({ INNGEST_DEV: "http://localhost:8288" });
  expect(inngest.mode).toBe("cloud");
});
