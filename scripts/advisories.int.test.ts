import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("advisories.mjs", import.meta.url));
const BULK = "/-/npm/v1/security/advisories/bulk";

let folder: string;
let registry: Server;
/** The registry's answer; null for a registry without advisories. */
let advisories: object | null;
let asked: Record<string, string[]> | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "advisories-"));
  asked = null;
  const packages = {
    "": { name: "app", version: "1.0.0", dependencies: { seeded: "1.0.1" } },
    "node_modules/seeded": { version: "1.0.1" },
  };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "app", version: "1.0.0", dependencies: { seeded: "1.0.1" } }),
  );
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: "app", version: "1.0.0", lockfileVersion: 3, packages }),
  );
  registry = createServer(async (request, response) => {
    if (request.url !== BULK || advisories === null) {
      response.writeHead(request.url === BULK ? 405 : 404).end("{}");
      return;
    }
    const isZipped = request.headers["content-encoding"] === "gzip";
    asked = JSON.parse(await text(isZipped ? request.pipe(createGunzip()) : request));
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(advisories));
  });
  await new Promise<void>((resolve) => registry.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await new Promise((resolve) => registry.close(resolve));
});

function check(): Promise<{ code: number; output: string }> {
  const address = registry.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const env = {
    ...process.env,
    npm_config_registry: `http://127.0.0.1:${port}/`,
    npm_config_cache: join(folder, "cache"),
    npm_config_fetch_retries: "0",
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, folder], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr }),
    );
  });
}

const advisory = (severity: string) => ({
  seeded: [
    {
      id: 1,
      url: "https://example.com/1",
      title: "A way in",
      severity,
      vulnerable_versions: "<1.0.2",
      cwe: [],
      cvss: { score: 9, vectorString: null },
    },
  ],
});

test.each(["high", "critical"])("T110 a package with an advisory of severity %s fails the build", async (severity) => {
  advisories = advisory(severity);
  const { code, output } = await check();
  expect(asked).toEqual({ seeded: ["1.0.1"] });
  expect(code).toBe(1);
  expect(output).toContain(`seeded: ${severity}, A way in (https://example.com/1)`);
});

test("T110 packages without one, or with a minor one, pass", async () => {
  for (advisories of [{}, advisory("low")]) {
    expect(await check()).toMatchObject({ code: 0, output: expect.stringContaining("No serious advisories") });
  }
});

test("reports a registry without advisories", async () => {
  advisories = null;
  expect(await check()).toMatchObject({ code: 0, output: expect.stringContaining("not checked") });
});
