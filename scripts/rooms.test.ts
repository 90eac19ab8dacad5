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
  ["no-circle-of-files", "lib/consoles/one.ts", ["./two"]],
  ["no-circle-of-rooms", "lib/query/up.ts", ["@/lib/repository/down"]],
  ["no-circle-of-rooms", "lib/repository/up.ts", ["@/lib/query/down"]],
  ["ground-knows-no-domain", "lib/db/planted.ts", ["@/lib/consoles/down"]],
  ["ground-knows-no-domain", "lib/embedded/mongo/planted.ts", ["../../connections/down"]],
  ["domains-know-no-top", "lib/mail/planted.ts", ["@/lib/lifecycle/down"]],
  ["domains-know-no-top", "lib/consoles/planted-api.ts", ["@/lib/api/down"]],
  ["commands-are-for-operators", "app/api/planted/route.ts", ["@/lib/commands/down"]],
  ["ground-knows-no-domain", "lib/log/planted.ts", ["@/inngest/client"]],
  ["lib-knows-no-face", "lib/users/planted.ts", ["@/inngest/functions/down"]],
  ["routes-ask-no-database", "inngest/functions/planted.ts", ["@/lib/db/down"]],
  ["lib-knows-no-face", "lib/net/planted.ts", ["@/components/ui/down"]],
  ["a-collection-is-its-domains", "lib/invites/planted.ts", ["@/lib/users/collections"]],
  ["a-collection-is-its-domains", "app/api/planted/collections/route.ts", ["@/lib/users/collections"]],
  ["routes-ask-no-database", "app/page.ts", ["@/lib/db/down"]],
  ["browsers-load-no-server", "components/grid/planted.ts", ["@/lib/consoles/down"]],
  ["browsers-load-no-server", "lib/ui/planted.ts", ["@/lib/env"]],
  ["browsers-load-no-schema", "components/grid/planted-schema.ts", ["@/lib/consoles/schema"]],
  ["browsers-load-no-schema", "lib/access/roles.ts", ["@/lib/access/schema"]],
  ["ui-is-plain", "components/ui/planted.ts", ["@/components/workspace/down"]],
  ["workspace-is-below-the-views", "components/workspace/planted.ts", ["@/components/grid/down"]],
  ["shell-is-above-the-views", "components/palette/planted.ts", ["@/components/shell/down"]],
];
/** What may be imported as it is here. */
const ALLOWED: [file: string, imports: string[]][] = [
  ["lib/users/service.ts", ["./collections", "@/lib/db/down"]],
  ["lib/lifecycle/collections.ts", ["@/lib/users/collections"]],
  ["components/grid/allowed.ts", ["type @/lib/consoles/schema", "@/lib/client/down", "@/components/workspace/down"]],
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
  write("lib/consoles/two.ts", 'import { it } from "./one";\nexport const back = it;\n');
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
