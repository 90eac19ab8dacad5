import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Entry = { optionalDependencies?: Record<string, string>; version?: string };
const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));
const packages: Record<string, Entry> = read("package-lock.json").packages;

test("the lockfile has the optional packages of every system, without which npm ci refuses it (complete-lockfile.mjs)", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test("every direct dependency is pinned to one version, the one in the lockfile", () => {
  const { dependencies, devDependencies } = read("package.json");
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
});
