import { Collection, Db } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { call } from "@/test/client";
import { takeOwnDatabase } from "@/test/database";
import { type Person, seedPerson } from "@/test/seed";
import { captureLog } from "./log-lines";
import { endpoints, pathWith } from "./routes";
import { sampleOf } from "./samples";

process.env.SAMPLE_DATA = "off";
const own = takeOwnDatabase();
afterAll(() => own.drop());

let owner: Person;
beforeAll(async () => {
  owner = await seedPerson("Owner");
});
afterEach(() => {
  vi.restoreAllMocks();
});

const MARKER = "s3cr3t-marker";
const METHODS = ["findOne", "find", "aggregate", "insertOne", "updateOne", "findOneAndUpdate", "deleteOne"] as const;

function breakTheStore(): void {
  const fail = () => {
    throw new TypeError(`cannot read mongodb://app:${MARKER}@127.0.0.1/ at /srv/millrace/lib/db/client.ts:7`);
  };
  for (const method of METHODS) vi.spyOn(Collection.prototype, method).mockImplementation(fail);
  // The caller is looked up by a command.
  vi.spyOn(Db.prototype, "command").mockImplementation(fail);
}

const SIGNED = ["/api/inngest", "/api/apps/view/{token}/{path...}"];

describe("an unexpected fault (T108)", () => {
  it.each(endpoints.filter(({ definition }) => !definition.worksWithoutStore))(
    "in $name is answered by the envelope alone, and found in the log by its request id",
    async ({ method, path, definition }) => {
      const body = definition.body ? { body: sampleOf(definition.body, "ana@example.com") } : {};
      const log = captureLog();
      breakTheStore();
      const answer = await call(method, pathWith(path, { workspaceId: owner.workspaceId }), {
        cookie: owner.cookie,
        ...body,
      });
      vi.restoreAllMocks();
      const lines = log.stop();
      // Some routes end without the store: a sign-in that is not set up, a body that is refused first, an unsigned call
      // of the job runner or of an app's viewer.
      expect([500, 404, 400, 200, ...(SIGNED.includes(path) ? [401] : [])]).toContain(answer.status);
      expect(answer.text).not.toContain(MARKER);
      expect(answer.text).not.toMatch(/\/srv|at .*:\d+|TypeError|mongodb:/);
      if (definition.access.scope !== "open") expect(answer.status).toBe(500);
      const failed = lines.filter((line) => line.includes('"level":50'));
      expect(failed.length).toBe(answer.status === 500 ? 1 : 0);
      for (const line of failed) {
        expect(JSON.parse(line).requestId).toBe(answer.headers.get("x-request-id"));
        expect(line).not.toContain(MARKER);
      }
    },
  );
});
