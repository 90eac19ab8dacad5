import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/*
 * Tests each layer rule with one import that breaks it, in a small tree of the same shape. One run checks the whole
 * tree.
 */

const PLANTED: [rule: string, file: string, imports: string[]][] = [
  ["no-circles", "lib/features/consoles/one.ts", ["./two"]],
  ["base-imports-base", "lib/base/sql/planted.ts", ["@/lib/platform/log/down"]],
  ["base-imports-base", "lib/base/charts/planted.ts", ["@/lib/features/dashboards/down"]],
  ["platform-imports-base", "lib/platform/db/planted.ts", ["@/lib/features/consoles/down"]],
  ["platform-imports-base", "lib/platform/embedded/mongo/planted.ts", ["../../../features/connections/down"]],
  ["platform-imports-base", "lib/platform/log/planted.ts", ["@/inngest/client"]],
  ["platform-imports-base", "lib/platform/net/planted.ts", ["@/components/ui/down"]],
  ["features-import-down", "lib/features/repository/up.ts", ["@/lib/features/query/down"]],
  ["features-import-down", "lib/features/query/up.ts", ["@/lib/features/instance/down"]],
  ["features-import-down", "lib/features/users/planted.ts", ["@/inngest/functions/down"]],
  ["features-import-down", "lib/features/flows/planted.ts", ["@/components/ui/down"]],
  ["features-import-down", "lib/features/instance/planted.ts", ["@/scripts/commands/down"]],
  ["collections-are-private", "lib/features/accounts/invites/planted.ts", ["@/lib/features/users/collections"]],
  ["collections-are-private", "app/api/planted/collections/route.ts", ["@/lib/features/users/collections"]],
  ["browsers-load-no-server", "components/grid/planted.ts", ["@/lib/features/consoles/down"]],
  ["browsers-load-no-server", "lib/features/flows/browser/planted.ts", ["@/lib/platform/env"]],
  ["browsers-load-no-server", "components/grid/planted-schema.ts", ["@/lib/features/consoles/schema"]],
  ["browsers-load-no-server", "lib/platform/access/roles.ts", ["@/lib/platform/access/schema"]],
];
/** Imports that violate no rule. */
const ALLOWED: [file: string, imports: string[]][] = [
  ["lib/features/users/service.ts", ["./collections", "@/lib/platform/db/down", "@/lib/base/sql/down"]],
  ["lib/features/query/service.ts", ["@/lib/features/repository/service"]],
  ["lib/features/instance/collections.ts", ["@/lib/features/users/collections"]],
  ["lib/features/runs/browser/allowed.ts", ["type @/lib/features/notifications/schema", "@/lib/base/sql/down"]],
  ["components/grid/allowed.ts", ["type @/lib/features/consoles/schema", "@/lib/features/flows/browser/down"]],
];

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "layers-"));
let output = "";
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths: { "@/*": ["./*"] } } }));
  for (const [, file, imports] of PLANTED) plant(file, imports);
  for (const [file, imports] of ALLOWED) plant(file, imports);
  write("lib/features/consoles/two.ts", 'import { it } from "./one";\nexport const back = it;\n');
  output = await cruise();
}, 60_000);

/** A type-only import has `type` before it. */
const isType = (spec: string) => spec.startsWith("type ");
const toPlain = (spec: string) => spec.replace(/^type /, "");
/** Exports of each file. */
const ENDS = "export const it = 1;\nexport type It = number;\n";

function plant(file: string, imports: string[]): void {
  const lines = imports.map((spec, at) =>
    isType(spec)
      ? `import type { It as It${at} } from "${toPlain(spec)}";\nexport type Of${at} = It${at};`
      : `import { it as it${at} } from "${spec}";\nexport const of${at} = it${at};`,
  );
  write(file, `${lines.join("\n")}\n${ENDS}`);
  for (const spec of imports.map(toPlain)) {
    const target = spec.startsWith("@/") ? spec.slice(2) : join(dirname(file), spec);
    if (![...PLANTED.map(([, planted]) => planted), ...ALLOWED.map(([allowed]) => allowed)].includes(`${target}.ts`)) {
      write(`${target}.ts`, ENDS);
    }
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

function cruise(): Promise<string> {
  const program = join(PROJECT, "node_modules", ".bin", "depcruise");
  const args = ["--config", join(PROJECT, ".dependency-cruiser.mjs"), "lib", "components", "app", "inngest"];
  const env = { ...process.env, PATH: `${join(PROJECT, "node_modules", ".bin")}:${process.env.PATH}` };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: root, env }, (_error, stdout) => resolve(stdout));
  });
}

test.each(PLANTED)("%s: %s", (rule, file) => {
  expect(output).toContain(`error ${rule}: ${file} `);
});

test.each(ALLOWED)("%s breaks no rule", (file) => {
  expect(output).not.toMatch(new RegExp(`error [a-z-]+: ${file} `));
});
