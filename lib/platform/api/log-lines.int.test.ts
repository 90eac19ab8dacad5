import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { databaseReady } from "@/lib/platform/db/ready";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { captureLog } from "@/test/security/log-lines";
import { type Person, seedKey, seedPerson } from "@/test/seed";

const own = takeOwnDatabase();
let ana: Person;
let key: string;
beforeAll(async () => {
  await databaseReady();
  ana = await seedPerson("Ana");
  key = await seedKey(ana.workspaceId, ana);
});
afterAll(() => own.drop());

it.each([
  ["a person", () => ana, true],
  ["an API key", () => ({ key }), true],
  ["nobody", () => ({}), false],
] as const)("C36 logs a rejected request of %s with its user, workspace, duration and ID", async (_, who, isKnown) => {
  const captured = captureLog();
  const path = `/api/workspaces/${ana.workspaceId}/consoles/${new ObjectId()}`;
  const answer = await call("GET", path, who());
  expect(answer.status).toBe(isKnown ? 404 : 401);
  const line = JSON.parse(captured.stop().at(-1) ?? "");
  expect(line).toMatchObject({
    requestId: answer.headers.get("x-request-id"),
    workspace: ana.workspaceId,
    durationMs: expect.any(Number),
    method: "GET",
    status: answer.status,
  });
  expect(line.user).toBe(isKnown ? ana.id : undefined);
});
