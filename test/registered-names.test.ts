import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SQL_DIALECTS } from "@/lib/base/sql/dialects/registry";
import { drivers } from "@/lib/features/connections/drivers/registry";

/*
 * Code outside of the folders of dialects and drivers asks them for what they declare, and names none of them.
 */

/** `standard` is the dialect of a text whose database is unknown, so callers name it as their default. */
const NAMES = [...new Set([...SQL_DIALECTS, ...drivers.map(({ type }) => type)])].filter((name) => name !== "standard");

/** Folders of the members, and files that speak about one of them by design. */
const ALLOWED: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^lib\/base\/sql\/dialects\//, "the dialects"],
  [/^lib\/features\/connections\/drivers\//, "the drivers"],
  [/^lib\/base\/explain\/(?:plan|read-plan)\.ts$/, "the registry of plan forms"],
  [/^lib\/platform\/embedded\/engine\//, "the engine processes of DuckDB and SQLite"],
  [/^lib\/platform\/engines\/service\.ts$/, "starts those processes"],
  [/^lib\/platform\/embedded\/mongo\//, "reports its storage engine as a MongoDB server does"],
  [/^lib\/features\/connections\/service\.ts$/, "the sample connection is a DuckDB file"],
];

/** Words with another meaning in code: the parts of an array, and the query language of consoles. */
const OTHER_MEANINGS: Readonly<Record<string, RegExp>> = {
  rest: /"rest"/,
  // A driver declares its query language; consoles store `sql` or `mongodb`.
  mongodb:
    /anguage\b.*"mongodb"|from "mongodb"|"sql", "mongodb"|SqlDialect \| "mongodb"|dialect = "mongodb"|name: "mongodb"|= "sql" \| "mongodb"/,
};

const QUOTED = new RegExp(`["'\`](${NAMES.join("|")})["'\`]`, "g");

it("names no dialect and no driver outside of their folders", () => {
  const files = globSync("{lib,components,app,inngest,emails}/**/*.{ts,tsx}", { cwd: process.cwd() })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !/\.test\.tsx?$/.test(file) && !ALLOWED.some(([path]) => path.test(file)));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, at) => {
        if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) return [];
        const names = [...line.matchAll(QUOTED)].map(([, name = ""]) => name);
        const isOther = names.every((name) => OTHER_MEANINGS[name]?.test(line));
        return names.length === 0 || isOther ? [] : [`${file}:${at + 1}: ${line.trim()}`];
      }),
  );
  expect(found).toEqual([]);
});

it("allows only files that exist", () => {
  const files = globSync("lib/**/*.ts", { cwd: process.cwd() }).map((file) => file.replaceAll("\\", "/"));
  expect(ALLOWED.filter(([path]) => !files.some((file) => path.test(file)))).toEqual([]);
});
