import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ObjectId } from "mongodb";
import { expect, it, vi } from "vitest";
import { splitCases } from "@/test/cases";
import { SAMPLE_APP, toFiles } from "@/test/fixtures/apps/sandbox/sample-app";
import { getSandbox } from ".";
import { buildWith } from "./embedded/builds";
import { carriedFolder } from "./embedded/carried";
import { sandboxCommand } from "./embedded/confinement";
import { FILES_BYTES_MAX, SCRATCH_BYTES_MAX } from "./limits";
import type { BuildResult } from "./sandbox";

const ATTACKS = join(import.meta.dirname, "..", "..", "..", "..", "test", "fixtures", "apps", "sandbox", "attacks");
const SECRET = "SECRET-of-the-platform";

/** Runs an attacker's program in place of the builder, as after a takeover of the builder. */
async function attack(
  name: string,
  args: readonly string[] = [],
  signal = new AbortController().signal,
): Promise<BuildResult> {
  const command = sandboxCommand("build", await carriedFolder(), join(ATTACKS, `${name}.ts`));
  const withArgs = { ...command, args: [...command.args, ...args] };
  return buildWith(withArgs, { files: new Map(), packages: null, onLog: () => {}, signal });
}

/** Returns the number of processes that run an attack on this machine. */
function running(name: string): number {
  return readdirSync("/proc").filter((id) => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`${name}.ts`);
    } catch {
      return false;
    }
  }).length;
}

it("isolates a sandbox from environment, files, processes, network and the platform's services (T91)", async () => {
  vi.stubEnv("SECRET_KEY", SECRET);
  const met = { connections: 0 };
  const service = createServer(() => {
    met.connections += 1;
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const address = service.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { log } = await attack("look", [String(port)]);
  service.close();
  const seen = Object.fromEntries(
    log.split("\n").map((line) => [line.split(": ")[0], line.split(": ").slice(1).join(": ")]),
  );
  expect(JSON.parse(seen.root ?? "null")).toEqual([
    "app",
    "bin",
    "carried",
    "dev",
    "lib",
    "lib64",
    "packages",

    "sandbox",
    "tmp",
  ]);
  expect(JSON.parse(seen.env ?? "[]")).not.toContain("SECRET_KEY");
  expect(log).not.toContain(SECRET);
  expect(JSON.parse(seen.user ?? "null")).toEqual([65534, 65534]);
  expect(JSON.parse(seen.networks ?? "null")).toEqual([]);
  for (const place of [
    "/etc/passwd",
    "/etc/ld.so.cache",
    "/proc/1/environ",
    "/proc/cpuinfo",
    "/usr/bin/env",
    "/home",
  ]) {
    expect(seen[place], place).toBe("refused ENOENT");
  }
  expect(seen["169.254.169.254"]).toMatch(/^refused/);
  expect(seen["127.0.0.1"]).toMatch(/^refused/);
  expect(seen.names).toBe("refused");
  expect(met.connections).toBe(0);
});

it.each([
  ["fork", "processes|threads"],
  ["thread", "threads|memory"],
  ["print", "printed"],
  ["grow", "memory"],
])("ends a build that does nothing but %s, with all its processes", async (name, words) => {
  const built = await attack(name);
  expect(built).toMatchObject({
    ok: false,
    problems: [{ message: expect.stringMatching(new RegExp(`${words}|crashed`)) }],
  });
  expect(built.log.length).toBeLessThan(2 * 1024 * 1024);
  expect(running(name)).toBe(0);
});

it("keeps a build's output in limited memory, and fills no disk (F11)", async () => {
  const { log } = await attack("fill");
  expect(log).toContain("/app: ENOSPC");
  expect(log).toContain("/tmp: ENOSPC");
  for (const place of ["/", "/dev/shm", "/carried", "/sandbox"]) expect(log).toContain(`${place}: EROFS`);
  const written = Number(/written (\d+)/.exec(log)?.[1]);
  expect(written).toBeLessThanOrEqual(FILES_BYTES_MAX + SCRATCH_BYTES_MAX);
  expect(await getSandbox().build(sample())).toMatchObject({ ok: true });
});

it("ends a looping build that no one waits for", async () => {
  const stop = new AbortController();
  const built = attack("loop", [], stop.signal);
  await vi.waitFor(() => expect(running("loop")).toBeGreaterThan(0), { timeout: 20_000 });
  stop.abort(new Error("nobody waits"));
  await expect(built).rejects.toThrow("nobody waits");
  expect(running("loop")).toBe(0);
});

it("leaves nothing of a build that is abandoned during its start", { tags: ["long"] }, async () => {
  for (let ms = 0; ms < 60; ms += 4) {
    const stop = AbortSignal.timeout(ms);
    await expect(attack("loop", [], stop)).rejects.toThrow();
  }
  // The kernel kills the rest of a namespace after its first process.
  await vi.waitFor(() => expect(running("loop")).toBe(0), { timeout: 20_000 });
});

it("gives each of two concurrent builds its own app", async () => {
  const built = await Promise.all(["one", "two", "three"].map((word) => getSandbox().build(sample(`${word} times`))));
  const scripts = built.map((each) => (each.ok ? scriptOf(each) : each.log));
  expect(
    scripts.map((script) => ["one times", "two times", "three times"].filter((word) => script.includes(word))),
  ).toEqual([["one times"], ["two times"], ["three times"]]);
});

const HOST_FILES = [
  'import text from "/etc/passwd?raw"; console.log(text);',
  'import text from "../../../../etc/passwd?raw"; console.log(text);',
  'import text from "/proc/self/environ?raw"; console.log(text);',
  'import text from "/proc/self/environ?url"; console.log(text);',
  'import text from "/@fs/etc/passwd?raw"; console.log(text);',
  'import text from "/sandbox/program/sandbox.mjs?raw"; console.log(text);',
  'import text from "/sandbox/node_modules/vite/package.json"; console.log(text);',
  'import text from "file:///proc/self/environ?raw"; console.log(text);',
  'import worker from "/proc/self/environ?worker"; console.log(worker);',
];
for (const { tags, cases } of splitCases(HOST_FILES, 2))
  it.each(cases)("rejects a file outside of the app: %s", { tags }, async (code) => {
    expect(await getSandbox().build(withMore(code))).toMatchObject({ ok: false });
  });

const READINGS: [string, Record<string, string>][] = [
  ['console.log(import.meta.glob("/proc/**", { eager: true, query: "?raw" }));', {}],
  ['console.log(import.meta.glob("../../proc/self/*", { eager: true, query: "?raw" }));', {}],
  ['console.log(new URL("file:///proc/self/environ", import.meta.url).href);', {}],
  ['console.log(new URL("../../proc/self/environ", import.meta.url).href);', {}],
  ['import "./evil.css";', { "src/evil.css": 'a { background: url("/proc/self/environ") }' }],
  ['import "./evil.css";', { "src/evil.css": 'a { background: url("../../proc/self/environ") }' }],
];
for (const { tags, cases } of splitCases(READINGS, 2))
  it.each(cases)(
    "brings nothing that the builder reads from the sandbox into an app: %s",
    { tags },
    async (code, files) => {
      const built = await getSandbox().build(withMore(code, files));
      const text = built.ok ? [...built.files.values()].map((each) => each.toString("latin1")).join("\n") : built.log;
      // The environment that a sandbox is started with is its only secret.
      expect(text).not.toContain("ROLLDOWN_WORKER_THREADS");
      expect(text).not.toContain(Buffer.from("ROLLDOWN_WORKER_THREADS").toString("base64").slice(1, -3));
    },
  );

it("runs no configuration of the app, and logs that", async () => {
  const evil = 'throw new Error("I was run");';
  const built = await getSandbox().build(
    withMore("export {};", {
      "vite.config.js": evil,
      "vite.config.ts": evil,
      "postcss.config.js": evil,
      "tailwind.config.js": evil,
      ".postcssrc.json": '{"plugins": {"/app/evil.cjs": {}}}',
      "babel.config.js": evil,
      ".env": "VITE_SECRET=1",
      "package.json": JSON.stringify({
        type: "module",
        scripts: { prebuild: "exit 1", postinstall: "exit 1" },
        imports: {},
      }),
    }),
  );
  expect(built.ok, built.log).toBe(true);
  expect(built.log).not.toContain("I was run");
  for (const name of ["vite.config.js", "postcss.config.js", "tailwind.config.js", ".postcssrc.json"]) {
    expect(built.log).toContain(`${name} is ignored`);
  }
});

it("ignores or rejects a TypeScript configuration that extends an outside file", async () => {
  const built = await getSandbox().build(
    withMore("export {};", { "tsconfig.json": '{"extends": "/proc/self/environ", "compilerOptions": {}}' }),
  );
  expect(built.log).not.toContain("ROLLDOWN_WORKER_THREADS");
});

function sample(words = "times"): Parameters<ReturnType<typeof getSandbox>["build"]>[0] {
  const app = SAMPLE_APP["src/app.tsx"].replace("times", words);
  return input({ ...SAMPLE_APP, "src/app.tsx": app });
}

function withMore(code: string, files: Record<string, string> = {}) {
  const main = `import "./more";\n${SAMPLE_APP["src/main.tsx"]}`;
  return input({ ...SAMPLE_APP, "src/main.tsx": main, "src/more.ts": code, ...files });
}

function input(files: Record<string, string>) {
  const signal = new AbortController().signal;
  return { workspaceId: new ObjectId(), appId: new ObjectId(), files: toFiles(files), onLog: () => {}, signal };
}

function scriptOf({ files }: BuildResult & { ok: true }): string {
  return [...files].find(([path]) => path.endsWith(".js"))?.[1].toString() ?? "";
}
