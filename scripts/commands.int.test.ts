import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleChildren } from "./build.mjs";
import { bundleCommands, COMMAND_ENTRIES } from "./support/command.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Scripts of package.json for operators; the others build and test. */
const COMMANDS = ["backup", "keys:rotate", "outbox", "repo:export", "restore", "secrets:new", "store"];
/** Time for bundling and starting stores on a busy machine, in ms. */
const TIMEOUT_MS = 120_000;

let folder: string;
let product: string;
let dataDir: string;

/** A built product without its sources: nothing can be bundled there. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "commands-"));
  product = join(folder, "app");
  dataDir = join(folder, "data");
  mkdirSync(product);
  cpSync(join(root, "scripts"), join(product, "scripts"), { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(product, file));
  await bundleChildren(join(product, "dist"));
  await bundleCommands(join(product, "dist", "commands"));
  symlinkSync(join(root, "node_modules"), join(product, "node_modules"));
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Outcome = { code: number; output: string };
async function run(name: string, args: string[] = [], env: Record<string, string> = {}): Promise<Outcome> {
  const given = { PATH: process.env.PATH, DATA_DIR: dataDir, ...env } as unknown as NodeJS.ProcessEnv;
  const script = /node (scripts\/[\w-]+\.mjs)$/.exec(scripts[name] ?? "")?.[1] ?? "";
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...args], {
      cwd: product,
      env: given,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

describe("in a build without sources", { timeout: TIMEOUT_MS }, () => {
  it("C32 has every operator command", () => {
    expect(existsSync(join(product, "lib"))).toBe(false);
    const built = readdirSync(join(product, "dist", "commands")).map((file) => file.replace(".mjs", ""));
    expect(built.sort()).toEqual(Object.keys(COMMAND_ENTRIES).sort());
    for (const name of COMMANDS)
      expect(readFileSync(join(root, "scripts", scriptOf(name)), "utf8")).toContain("runCommand");
  });

  it("C32 imports no source from an operator script", () => {
    for (const name of COMMANDS) {
      const text = readFileSync(join(root, "scripts", scriptOf(name)), "utf8");
      expect([name, /\.\.\/lib|\.ts"|esbuild/.test(text)]).toEqual([name, false]);
    }
  });

  it("C32 runs store alone and prints its address", async () => {
    const store = spawn(process.execPath, ["scripts/store.mjs", "--port", "0"], {
      cwd: product,
      env: { PATH: process.env.PATH, DATA_DIR: dataDir } as unknown as NodeJS.ProcessEnv,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(store, "exit");
    const [address] = await once(store.stdout, "data");
    expect(String(address)).toMatch(/^mongodb:\/\/millrace:/);
    store.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });

  it("C32 refuses keys:rotate for a store without its secrets, and starts anew after secrets:new", async () => {
    const refused = await run("keys:rotate");
    expect(refused).toEqual({ code: 1, output: expect.stringContaining("npm run secrets:new") });
    expect(await run("secrets:new")).toEqual({ code: 1, output: expect.stringContaining("can't be undone") });
    expect(existsSync(join(dataDir, "secrets.json"))).toBe(false);
    expect(await run("secrets:new", ["--yes"])).toEqual({
      code: 0,
      output: expect.stringContaining("New secrets are in"),
    });
    expect(existsSync(join(dataDir, "secrets.json"))).toBe(true);
  });

  it.each([
    ["keys:rotate", [], 0, "All secrets are encrypted with key"],
    ["keys:rotate", ["--new-key"], 0, ":"],
    ["keys:rotate", ["--odd"], 1, "--odd"],
    ["outbox", [], 0, "No account emails in the outbox."],
    ["outbox", ["--limit", "0"], 1, "--limit must be a number from 1 to 200."],
    ["repo:export", [], 1, "Usage: npm run repo:export"],
    ["repo:export", ["nowhere", "folder"], 1, "Workspace “nowhere” not found"],
    ["backup", [], 1, "Usage: npm run backup"],
    ["backup", ["../a.backup"], 0, "Backup written to ../a.backup."],
    ["backup", ["../a.backup"], 1, "exists"],
    ["backup", ["--verify", "../a.backup"], 0, "is intact"],
    ["backup", ["--verify"], 1, "Usage: npm run backup"],
    ["backup", ["--verify", "package.json"], 1, "not a backup of Millrace"],
    ["restore", [], 1, "Usage: npm run restore"],
    ["restore", ["../a.backup"], 1, "already has a store"],
    ["restore", ["../a.backup", "--overwrite"], 0, "Restored ../a.backup to"],
    ["store", ["--port", "x"], 1, "--port must be a port number"],
    ["secrets:new", ["--odd"], 1, "--odd"],
  ] as const)("C32 %s %j ends with %i and prints: %s", async (name, args, code, words) => {
    const outcome = await run(name, [...args]);
    expect(outcome).toEqual({ code, output: expect.stringContaining(words) });
    expect(outcome.output).not.toContain("    at ");
  });

  it.each(["backup", "restore"])("C32 %s names the tools for an external server", async (name) => {
    const env = {
      MONGODB_URI: "mongodb://127.0.0.1:9/any",
      AUTH_SECRET: "a".repeat(40),
      ENCRYPTION_KEYS: `k:${Buffer.alloc(32, 1).toString("base64")}`,
    };
    expect(await run(name, ["any"], env)).toEqual({ code: 1, output: expect.stringContaining("MONGODB_URI is set") });
  });
});

function scriptOf(name: string): string {
  return scripts[name]?.split("/").at(-1) ?? "";
}
