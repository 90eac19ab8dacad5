import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "@/lib/platform/jobs/collections";
import { runnerKeys, setListenerUrl } from "@/lib/platform/jobs/runner";
import { sign } from "@/lib/platform/jobs/signature";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type LocalServer, startLocalServer } from "@/test/security/local-server";
import { inngest } from "./client";
import { serveFunctions } from "./serve";

// A misconfigured environment: the endpoint still requires signatures.
process.env.INNGEST_DEV = "1";
process.env.INNGEST_ENABLE_UNAUTHED_SYNC = "1";
const own = takeOwnDatabase();

const ENDPOINT = "http://localhost:3000/api/inngest";
const PATH = "?fnId=millrace-forged&stepId=step";
const SIX_MINUTES_MS = 6 * 60 * 1000;
let runs = 0;
let runner: LocalServer;
let callsOut = 0;
const forged = inngest.createFunction({ id: "forged", triggers: [{ event: "test/forged" }] }, () => {
  runs += 1;
});
const handler = serveFunctions([forged]);

beforeAll(async () => {
  runner = await startLocalServer((_, response) => {
    callsOut += 1;
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  setListenerUrl(runner.url);
});
afterAll(async () => {
  setListenerUrl(null);
  await runner.close();
  await own.drop();
});

/** A call from a runner. */
const BODY = `{"ctx":{"attempt":0,"disable_immediate_execution":false,"run_id":"r","stack":{"current":0,"stack":[]},"use_api":false},"event":{"data":{},"name":"test/forged"},"events":[],"steps":{},"version":-1}`;
const key = () => runnerKeys().signingKey;
const signed = (body: string, now?: number) => ({ "x-inngest-signature": sign(body, key(), now) });
const send = (method: string, url: string, headers: Record<string, string>, body?: string) =>
  handler(new Request(url, { method, headers: { host: "localhost:3000", ...headers }, ...(body && { body }) }));

/** Bodies with invalid signatures. */
const FORGERIES: [string, (body: string) => Record<string, string>][] = [
  ["without a signature", () => ({})],
  ["with an empty one", () => ({ "x-inngest-signature": "" })],
  ["with one that is none", () => ({ "x-inngest-signature": "t=1&s=zz" })],
  ["with a wrong one", () => ({ "x-inngest-signature": `t=${Math.floor(Date.now() / 1000)}&s=${"0".repeat(64)}` })],
  ["with that of another key", (body) => ({ "x-inngest-signature": sign(body, "signkey-test-00") })],
  ["with that of another body", () => signed("{}")],
  ["six minutes old", (body) => signed(body, Date.now() - SIX_MINUTES_MS)],
  ["six minutes early", (body) => signed(body, Date.now() + SIX_MINUTES_MS)],
];

describe("the job endpoint", () => {
  it("runs a function for a caller with the key", async () => {
    const answer = await send("POST", ENDPOINT + PATH, signed(BODY), BODY);
    expect([answer.status, await answer.text(), runs]).toEqual([200, "null", 1]);
  });

  it.each(FORGERIES)("runs nothing and reveals nothing %s (T102)", async (_, headersOf) => {
    const before = runs;
    for (const body of [BODY, BODY.replace("{}", `{"pad":"${"x".repeat(100_000)}"}`)]) {
      const answer = await send("POST", ENDPOINT + PATH, headersOf(body), body);
      expect([answer.status, await answer.json()]).toEqual([401, { message: "Unauthorized" }]);
      const told = [...answer.headers.keys()].filter((name) => name.startsWith("x-inngest-"));
      expect(told).toEqual(["x-inngest-sdk-handled"]);
    }
    expect(runs).toBe(before);
    expect(await collections.jobRuns().countDocuments()).toBe(0);
  });

  it.each(FORGERIES)("registers nowhere and shows no functions %s (T103)", async (_, headersOf) => {
    const body = `{"url":"${ENDPOINT}"}`;
    const kinds: Record<string, string>[] = [{}, { "x-inngest-sync-kind": "in_band" }];
    for (const kind of kinds) {
      const answer = await send("PUT", ENDPOINT, { ...headersOf(body), ...kind }, body);
      expect([answer.status, await answer.json()]).toEqual([401, { message: "Unauthorized" }]);
    }
    const shown = await send("GET", ENDPOINT, headersOf(""));
    expect([shown.status, await shown.json()]).toEqual([401, { message: "Unauthorized" }]);
    expect(callsOut).toBe(0);
  });

  it("shows its functions to a caller with the key", async () => {
    const body = `{"url":"${ENDPOINT}"}`;
    const answer = await send("PUT", ENDPOINT, { ...signed(body), "x-inngest-sync-kind": "in_band" }, body);
    const { functions } = await answer.json();
    expect(functions.map(({ id }: { id: string }) => id)).toEqual(["millrace-forged"]);
  });

  it("rejects a body larger than any call (T104)", async () => {
    const body = "x".repeat(5 * 1024 * 1024);
    await expect(send("POST", ENDPOINT + PATH, signed(body), body)).rejects.toMatchObject({ kind: "too_large" });
  });

  it.each(["PATCH", "DELETE", "OPTIONS"])(
    "answers %s with 405 in the envelope, and reveals nothing of the environment (T102)",
    async (method) => {
      const answer = await call(method, "/api/inngest", { headers: signed("") });
      expect([answer.status, answer.json.code, answer.headers.get("allow")]).toEqual([
        405,
        "method_not_allowed",
        "GET, POST, PUT, HEAD",
      ]);
      expect(answer.text).not.toMatch(/INNGEST|env|key/i);
    },
  );
});
