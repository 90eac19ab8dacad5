// @module-tag heavy
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { makeAppTypes, OUTPUT } from "@/scripts/app-types.mjs";
import { projectFiles } from "./project";

/** Returns the compiler's output for a cloned app with these files added to its template's. */
async function check(template: string, more: Record<string, string> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cloned-app-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join("templates/apps", template), folder, { recursive: true });
  for (const [path, text] of [...projectFiles(), ...Object.entries(more)]) writeFileSync(join(folder, path), text);
  // As after `npm install`.
  symlinkSync(join(process.cwd(), "node_modules"), join(folder, "node_modules"));
  const compiler = join(process.cwd(), "node_modules/typescript/lib/tsc.js");
  try {
    await promisify(execFile)(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { cwd: folder });
    return "";
  } catch (error) {
    return String((error as { stdout: string }).stdout);
  }
}

test("has the types of @millrace/app from the runtime's source: `node scripts/app-types.mjs` generates them", async () => {
  expect(readFileSync(OUTPUT, "utf8")).toBe(await makeAppTypes());
});

test.each(["metrics", "report", "table"])("type checks an app of the template %s in a clone", async (template) => {
  expect(await check(template)).toBe("");
});

test("finds errors of the runtime with a cloned app's compiler", async () => {
  const said = await check("metrics", {
    "src/wrong.ts": [
      'import { useBinding } from "@millrace/app";',
      'useBinding("sales", { groupBy: ["region"], measure: [] });',
      'useBinding("sales", { measures: [{ op: "total" }] });',
      'export const sum: number = useBinding<{ region: string }>("sales").rows[0].region;',
      'import { Scalar } from "@millrace/app";',
    ].join("\n"),
  });
  const places = said.match(/src\/wrong\.ts\(\d+/g);
  expect(places, said).toEqual([2, 3, 4, 5].map((line) => `src/wrong.ts(${line}`));
});
