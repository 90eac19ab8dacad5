import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

/*
 * Each rule of the rooms, tried with one import that breaks it in a small tree of the same shape. One run judges the
 * whole tree.
 */

const PLANTED: [rule: string, file: string, imports: string[]][] = [
  ["no-circle-of-files", "lib/features/consoles/one.ts", ["./two"]],
  ["no-circle-of-rooms", "lib/features/query/up.ts", ["@/lib/features/repository/down"]],
  ["no-circle-of-rooms", "lib/features/repository/up.ts", ["@/lib/features/query/down"]],
  ["ground-knows-no-domain", "lib/platform/db/planted.ts", ["@/lib/features/consoles/down"]],
  ["ground-knows-no-domain", "lib/platform/embedded/mongo/planted.ts", ["../../connections/down"]],
  ["domains-know-no-top", "lib/platform/mail/planted.ts", ["@/lib/features/instance/down"]],
  ["domains-know-no-top", "lib/features/consoles/planted-api.ts", ["@/lib/platform/api/down"]],
  ["commands-are-for-operators", "app/api/planted/route.ts", ["@/scripts/commands/down"]],
  ["ground-knows-no-domain", "lib/platform/log/planted.ts", ["@/inngest/client"]],
  ["lib-knows-no-face", "lib/features/users/planted.ts", ["@/inngest/functions/down"]],
  ["routes-ask-no-database", "inngest/functions/planted.ts", ["@/lib/platform/db/down"]],
  ["lib-knows-no-face", "lib/platform/net/planted.ts", ["@/components/ui/down"]],
  ["a-collection-is-its-domains", "lib/features/accounts/invites/planted.ts", ["@/lib/features/users/collections"]],
  ["a-collection-is-its-domains", "app/api/planted/collections/route.ts", ["@/lib/features/users/collections"]],
  ["routes-ask-no-database", "app/page.ts", ["@/lib/platform/db/down"]],
  ["browsers-load-no-server", "components/grid/planted.ts", ["@/lib/features/consoles/down"]],
  ["browsers-load-no-server", "lib/ui/planted.ts", ["@/lib/platform/env"]],
  ["browsers-load-no-schema", "components/grid/planted-schema.ts", ["@/lib/features/consoles/schema"]],
  ["browsers-load-no-schema", "lib/platform/access/roles.ts", ["@/lib/platform/access/schema"]],
  ["ui-is-plain", "components/ui/planted.ts", ["@/components/workspace/down"]],
  ["workspace-is-below-the-views", "components/workspace/planted.ts", ["@/components/grid/down"]],
  ["shell-is-above-the-views", "components/palette/planted.ts", ["@/components/shell/down"]],
];
/** What may be imported as it is here. */
const ALLOWED: [file: string, imports: string[]][] = [
  ["lib/features/users/service.ts", ["./collections", "@/lib/platform/db/down"]],
  ["lib/features/instance/collections.ts", ["@/lib/features/users/collections"]],
  [
    "components/grid/allowed.ts",
    ["type @/lib/features/consoles/schema", "@/lib/client/down", "@/components/workspace/down"],
  ],
  ["components/shell/allowed.ts", ["@/components/grid/down"]],
];

const PROJECT = fileURLToPath(new URL("..", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "rooms-"));
let output = "";
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeAll(async () => {
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths: { "@/*": ["./*"] } } }));
  for (const [, file, imports] of PLANTED) plant(file, imports);
  for (const [file, imports] of ALLOWED) plant(file, imports);
  write("lib/features/consoles/two.ts", 'import { it } from "./one";\nexport const back = it;\n');
  output = await cruise();
}, 60_000);

/** An import of a type alone is written with `type` before it. */
const isType = (spec: string) => spec.startsWith("type ");
const toPlain = (spec: string) => spec.replace(/^type /, "");
/** What each file can be asked for. */
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
  // A circle of rooms is told by its rooms, anything else by the file.
  const place = rule === "no-circle-of-rooms" ? dirname(file) : file;
  expect(output).toContain(`error ${rule}: ${place} `);
});

test.each(ALLOWED)("%s breaks no rule", (file) => {
  expect(output).not.toMatch(new RegExp(`error [a-z-]+: ${file} `));
});
