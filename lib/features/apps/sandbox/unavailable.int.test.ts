import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ObjectId } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { takeOwnDatabase } from "@/test/database";
import { authorOf } from "@/test/fixtures/apps/app-author";
import { SAMPLE_APP, toFiles } from "@/test/fixtures/apps/sandbox/sample-app";
import { seedPerson } from "@/test/seed";
import { getSandbox } from ".";

const own = takeOwnDatabase();
const empty = mkdtempSync(join(tmpdir(), "no-programs-"));
beforeAll(() => {
  vi.stubEnv("PATH", empty);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  rmSync(empty, { recursive: true });
  await own.drop();
});

it("tells builds, previews and publishes what to install on a server without bubblewrap", async () => {
  const found = await getSandbox().availability();
  expect(found).toEqual({ isAvailable: false, what: expect.stringContaining("Install bubblewrap 0.8") });
  const whose = { workspaceId: new ObjectId(), appId: new ObjectId(), userId: new ObjectId() };
  const signal = new AbortController().signal;
  const files = toFiles(SAMPLE_APP);
  await expect(getSandbox().build({ ...whose, files, onLog: () => {}, signal })).rejects.toMatchObject({
    kind: "sandbox_unavailable",
    status: 503,
  });
  const ana = await seedPerson("Ana");
  const anas = authorOf(ana, ana.workspaceId);
  const app = await anas.make("Orders");
  for (const path of ["sandbox", "dev-preview"]) {
    const answer = await anas.send("POST", `/${app.id}/${path}`);
    expect([answer.status, answer.json.code]).toEqual([503, "sandbox_unavailable"]);
    expect(answer.json.error).toContain("apt install bubblewrap");
  }
  expect((await anas.send("GET", `/${app.id}/dev-preview/status`)).json.data.serving).toBe(false);

  // The app needs no build.
  expect((await anas.send("POST", `/${app.id}/publish`)).status).toBe(200);
  for (const [path, content] of Object.entries(SAMPLE_APP)) await anas.write(app, path, content);
  await anas.commit(app);
  const refused = await anas.send("POST", `/${app.id}/publish`);
  expect([refused.status, refused.json.code]).toEqual([503, "sandbox_unavailable"]);
});
