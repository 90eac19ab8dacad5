import { ObjectId } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KeepAliveClient } from "@/lib/platform/net/keep-alive-client";
import { testPolicy } from "@/test/fixtures/net/policy";
import { answerWith, type Receiver, startReceiver } from "@/test/fixtures/notifications/receiver";
import type { Payload } from "../../payload-schema";
import type { Message } from "../channel";
import { send } from "./send";

const SIGNATURE = "KODuebWbDGYFr0z0eu6Rj8aUKz7108W3wrNJZxFE5A";
const payload: Payload = {
  version: 1,
  event: "flow.run.terminal",
  trigger: "success",
  resourceType: "flow",
  resourceId: "0".repeat(24),
  resourceName: "Nightly copy",
  runId: "a".repeat(24),
  completedAt: "2026-11-22T06:00:05.000Z",
  durationMs: 1_000,
  errorMessage: null,
  triggerType: "manual",
  workspaceId: "b".repeat(24),
  deepLink: "https://data.example.com/w/shop/flows/1/runs/2",
};
const message: Message = {
  workspaceId: new ObjectId(payload.workspaceId),
  payload,
  body: JSON.stringify(payload),
  webhookId: "msg_1",
  isTest: false,
  deliveryId: null,
  findFiles: () => Promise.resolve(null),
  findOwner: () => Promise.resolve(null),
};
let receiver: Receiver;
let line: KeepAliveClient;
beforeAll(async () => {
  receiver = await startReceiver();
  line = new KeepAliveClient("http", testPolicy("all"));
});
beforeEach(() => {
  receiver.hits.length = 0;
});
afterAll(async () => {
  await line.close();
  await receiver.close();
});
const post = () => send({ url: `${receiver.url}/workflows/a1?sig=${SIGNATURE}` }, message, line);

describe("a message to Microsoft Teams", () => {
  it("is posted as JSON to the whole URL, and accepted with 202", async () => {
    receiver.answer = answerWith(202);
    expect(await post()).toEqual({ httpStatus: 202, error: null, snippet: null });
    const [hit] = receiver.hits;
    expect([hit?.path, hit?.headers["content-type"]]).toEqual([`/workflows/a1?sig=${SIGNATURE}`, "application/json"]);
    expect(JSON.parse(hit?.raw.toString() ?? "")).toMatchObject({ summary: "✓ Nightly copy succeeded" });
  });

  it("is retried after Retry-After", async () => {
    receiver.answer = answerWith(429, { "Retry-After": "180" });
    expect(await post()).toMatchObject({ httpStatus: 429, error: "The receiver returned 429.", retryAfterMs: 180_000 });
  });

  it.each([413, 429])("fails with the status %i inside a 200 response", async (status) => {
    const refusal = "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error";
    receiver.answer = answerWith(200, {}, `${refusal} ${status} with ContextId tcid=0`);
    expect(await post()).toMatchObject({ httpStatus: status, error: `The receiver returned ${status}.` });
  });

  it("leaves no signature in the attempt log, in any form that the receiver repeats (T85)", async () => {
    receiver.answer = ({ url = "" }, response) =>
      void response.writeHead(500).end(`no ${url}, no ${receiver.url}${url}, no sig=${SIGNATURE}, no "${SIGNATURE}"`);
    const { snippet } = await post();
    expect(snippet).toMatch(/^no \*+/);
    expect(snippet).not.toContain(SIGNATURE);
  });
});
