import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = `
  import { getSecrets } from "@/lib/platform/secrets/bootstrap";
  console.log(JSON.stringify(getSecrets()));
`;

test("agrees on the secrets with concurrent first starts", async () => {
  const folder = mkdtempSync(join(tmpdir(), "secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "secrets.mjs");
  buildSync({
    stdin: { contents: program, resolveDir: root, loader: "ts" },
    outfile: file,
    bundle: true,
    alias: { "server-only": join(root, "test/empty.ts") },
    platform: "node",
    format: "esm",
  });
  const env = { ...process.env, DATA_DIR: join(folder, "data"), MONGODB_URI: "", AUTH_SECRET: "", ENCRYPTION_KEYS: "" };
  const starts = Array.from({ length: 6 }, () => promisify(execFile)(process.execPath, [file], { env }));
  const seen = new Set((await Promise.all(starts)).map((start) => start.stdout));
  expect(seen.size).toBe(1);
  expect(JSON.parse([...seen].join("")).authSecret).toHaveLength(43);
});
