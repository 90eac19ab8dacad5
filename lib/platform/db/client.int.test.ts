import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { prepareStore } from "@/lib/features/instance/prepare-store";
import { startStore } from "@/lib/platform/embedded/mongo/server";
import { freePort } from "@/test/servers/free-port";
import { closeDatabase, database } from "./client";
import { databaseReady } from "./ready";

const folder = mkdtempSync(join(tmpdir(), "client-"));
let close = async () => {};
afterAll(async () => {
  await closeDatabase();
  await close();
  rmSync(folder, { recursive: true, force: true });
});

it("uses a store that was unavailable at the first request once it is up (F5)", async () => {
  const port = await freePort();
  prepareStore();
  process.env.MONGODB_URI = `mongodb://millrace:of%20no%20use%20elsewhere@127.0.0.1:${port}/?directConnection=true`;
  // Accepts connections and never answers, so that the first one fails by its time limit.
  const silent = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(port, "127.0.0.1", resolve));
  await expect(databaseReady()).rejects.toThrow();
  silent.close();

  const store = await startStore({ dataDir: folder, port, password: "of no use elsewhere" });
  close = store.close;
  await expect
    .poll(
      () =>
        databaseReady().then(
          () => "ready",
          () => "away",
        ),
      { timeout: 10_000 },
    )
    .toBe("ready");
  expect(await database().command({ ping: 1 })).toMatchObject({ ok: 1 });
});
