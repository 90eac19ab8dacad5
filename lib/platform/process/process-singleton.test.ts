import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { processSingleton } from "./process-singleton";

it("creates a singleton once, and shares it by its name", () => {
  let made = 0;
  const take = () => processSingleton("singletons-of-a-test", () => ({ number: ++made }));
  expect([take(), take(), take()].map(({ number }) => number)).toEqual([1, 1, 1]);
});

it("has one place in the source for each name, so that no two modules share one by chance", () => {
  const names = globSync("lib/**/*.ts", { exclude: (path) => path.endsWith(".test.ts") }).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/processSingleton(?:<[^(]*>)?\(\s*["`]([^"`]+)["`]/g)].map(
      ([, name]) => name,
    ),
  );
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
