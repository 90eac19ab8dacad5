import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EJSON } from "bson";
import { MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "@/lib/platform/embedded/mongo/commands/admin";
import { type RunningStore, startStore } from "@/lib/platform/embedded/mongo/server";
import { isMet, type SpecFile, type SpecTest } from "./format.ts";
import { SpecRunner } from "./runner.ts";

/**
 * A row of the tables in docs/develop/store.md: tests that cannot pass, and the exact error that they get. Without a
 * code, the driver is the one that differs, and the message says how its command does.
 */
type Exclusion = { feature: string; tests: RegExp[]; code: number | undefined; message: string };

const specDir = process.env.MONGODB_SPEC_DIR;
let dir: string;
let store: RunningStore;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "crud-spec-"));
  store = await startStore({ dataDir: dir, port: 0 });
});

afterAll(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

function readExclusions(): Exclusion[] {
  const page = readFileSync(fileURLToPath(new URL("../../../docs/develop/store.md", import.meta.url)), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("|") && line.includes("spec: "));
  return rows.map((line) => {
    const [feature = "", code = "", message = "", tests = ""] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    const number = /\d+/.exec(code)?.[0];
    const globs = [...tests.matchAll(/`([^`]+)`/g)].map((found) => found[1] ?? "");
    return {
      feature,
      tests: globs.map(toRegExp),
      code: number === undefined ? undefined : Number(number),
      message: message.replaceAll("`", ""),
    };
  });
}

/** Converts a pattern of the docs page to a regular expression; a star matches anything. */
function toRegExp(glob: string): RegExp {
  return new RegExp(`^${glob.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`);
}

function readFiles(from: string): [string, SpecFile][] {
  const names = readdirSync(from).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => [name, EJSON.parse(readFileSync(join(from, name), "utf8")) as unknown as SpecFile]);
}

/** Returns why a test is skipped, such as a need for failCommand or another topology; undefined when it runs. */
function whyNotRun(file: SpecFile, spec: SpecTest): string | undefined {
  if (spec.skipReason !== undefined) return spec.skipReason;
  if (!isMet(file.runOnRequirements, VERSION) || !isMet(spec.runOnRequirements, VERSION)) return "for another server";
  if (spec.operations.some(({ name }) => name === "failPoint")) return "needs failCommand";
  return undefined;
}

/** Runs a function with a new runner. */
async function withRunner(use: (runner: SpecRunner) => Promise<void>): Promise<void> {
  const runner = new SpecRunner(store.uri);
  try {
    await use(runner);
  } finally {
    await runner.close();
  }
}

function define(name: string, file: SpecFile, spec: SpecTest, exclusion: Exclusion | undefined): void {
  const title = `${name}: ${spec.description}`;
  if (exclusion === undefined) {
    test(title, () => withRunner((runner) => runner.run(file, spec)));
  } else if (exclusion.code === undefined) {
    test(`${title} follows the driver's own behaviour: ${exclusion.feature}`, () =>
      withRunner((runner) => expect(runner.run(file, spec)).rejects.toThrow(exclusion.message)));
  } else {
    test(`${title} is rejected: ${exclusion.feature}`, () =>
      withRunner(async (runner) => {
        const errors = await runner.runForErrors(file, spec);
        const refusals = errors.filter((error) => error instanceof MongoServerError);
        const { code, message } = exclusion;
        expect(refusals.map((error) => ({ code: error.code, message: error.message }))).toContainEqual({
          code,
          message,
        });
      }));
  }
}

describe.skipIf(specDir === undefined)(
  "MongoDB's CRUD specification (set MONGODB_SPEC_DIR to its folder to run it)",
  () => {
    const exclusions = readExclusions();
    const all = (specDir === undefined ? [] : readFiles(specDir)).flatMap(([name, file]) =>
      file.tests.map((spec) => ({ name, file, spec })),
    );
    const run = all.filter(({ file, spec }) => whyNotRun(file, spec) === undefined);
    const exclusionOf = (name: string, spec: SpecTest): Exclusion | undefined =>
      exclusions.find(({ tests }) => tests.some((glob) => glob.test(`${name}: ${spec.description}`)));

    for (const { name, file, spec } of run) define(name, file, spec, exclusionOf(name, spec));

    test("counts the few exclusions, and skipped tests separately", () => {
      const excluded = run.filter(({ name, spec }) => exclusionOf(name, spec) !== undefined);
      process.stdout.write(
        `CRUD specification: ${all.length} tests, ${run.length} of them for this server, ${excluded.length} of those excluded by name\n`,
      );
      expect(run.length).toBeGreaterThan(0);
      expect(excluded.length).toBeLessThan(run.length / 10);
    });
  },
);
