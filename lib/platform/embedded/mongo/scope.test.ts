import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { doc } from "../../../../test/fixtures/embedded/mongo/plain.ts";
import { ACCUMULATORS, compileAccumulator } from "./aggregate/accumulators.ts";
import { compilePipeline, OUTPUTS, SOURCES, STAGES } from "./aggregate/pipeline.ts";
import type { Value } from "./bson/values.ts";
import { COMMON_FIELDS } from "./commands/options.ts";
import { COMMANDS } from "./commands/table.ts";
import { compileExpression, DOCUMENT_VARIABLES, EXPRESSIONS } from "./expressions/compile.ts";
import { FIELD_OPERATORS, parseMatch, TOP_OPERATORS } from "./query/match.ts";
import { INDEX_OPTIONS } from "./storage/collection.ts";
import { compileUpdate, UPDATE_OPERATORS } from "./update/update.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const page = readFileSync(join(root, "docs/develop/store-scope.md"), "utf8");

/** Returns the cells of a table of the page, by its heading. */
function rowsOf(heading: string): string[][] {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(1).map((line) => line.split("|").slice(1, -1));
}

function namesIn(cell = ""): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

const vocabulary: [heading: string, names: Iterable<string>][] = [
  ["Commands", COMMANDS.keys()],
  ["Options of every command", COMMON_FIELDS.keys()],
  ["Stages", [...STAGES.keys(), ...SOURCES, ...OUTPUTS]],
  ["Accumulators", ACCUMULATORS.keys()],
  ["Expressions", EXPRESSIONS.keys()],
  ["Variables", ["$$NOW", ...[...DOCUMENT_VARIABLES.keys()].map((name) => `$$${name}`)]],
  ["Query operators", [...TOP_OPERATORS.keys(), ...FIELD_OPERATORS.keys()]],
  ["Update operators", UPDATE_OPERATORS.keys()],
  ["Options of an index", INDEX_OPTIONS],
];

describe("docs/develop/store-scope.md", () => {
  test.each(vocabulary)("has a row for everything in the code: %s", (heading, names) => {
    expect(
      rowsOf(heading)
        .flatMap(([cell]) => namesIn(cell))
        .sort(),
    ).toEqual([...names].sort());
  });

  test("has the options of every command", () => {
    for (const [cell, options] of rowsOf("Commands"))
      for (const name of namesIn(cell))
        expect([name, options?.includes("any") ? undefined : namesIn(options)]).toEqual([
          name,
          COMMANDS.get(name)?.fields,
        ]);
  });

  test("names existing files that use each entry", () => {
    for (const [heading] of vocabulary)
      for (const row of rowsOf(heading)) {
        const path = namesIn(row.at(-1)).find((name) => name.startsWith("lib/"));
        if (path === undefined) continue;
        expect([path, existsSync(join(root, path))]).toEqual([path, true]);
        const isOperator = heading !== "Commands" && statSync(join(root, path)).isFile();
        const text = isOperator ? readFileSync(join(root, path), "utf8") : "";
        for (const name of isOperator ? namesIn(row[0]) : [])
          expect([name, path, text.includes(name)]).toEqual([name, path, true]);
      }
  });
});

/** A part of what MongoDB 7.0 has beyond the scope. */
const BEYOND = {
  expression:
    "$abs $accumulator $atan2 $bitAnd $cmp $const $dateAdd $dateToParts $first $function $getField $meta $switch $trim $year $zip",
  stage:
    "$bucket $bucketAuto $changeStream $densify $facet $fill $geoNear $graphLookup $redact $sample $setWindowFields $sortByCount",
  accumulator: "$accumulator $count $first $firstN $last $mergeObjects $stdDevPop $top",
  query: "$all $bitsAllSet $comment $elemMatch $geoWithin $mod $near",
  top: "$alwaysTrue $comment $jsonSchema $sampleRate $text $where",
  update: "$bit $currentDate $min $mul $pop $pullAll $rename",
};

/** Error codes: InvalidPipelineOperator, an unknown stage and accumulator, BadValue, FailedToParse. */
const REFUSALS: [kind: keyof typeof BEYOND, code: number, compile: (name: string) => unknown][] = [
  ["expression", 168, (name) => compileExpression(value({ [name]: 1 }), variables)],
  ["stage", 40324, (name) => compilePipeline([value({ [name]: {} })], { variables, joins: undefined })],
  ["accumulator", 15952, (name) => compileAccumulator("a", value({ [name]: 1 }), variables, { bytes: 0 })],
  ["query", 2, (name) => parseMatch(doc({ a: { [name]: 1 } }), { variables })],
  ["top", 2, (name) => parseMatch(doc({ [name]: 1 }), { variables })],
  ["update", 9, (name) => compileUpdate(doc({ [name]: { a: 1 } }), undefined, variables)],
];

const variables = { scope: undefined };

function value(object: Record<string, unknown>): Value {
  return doc(object);
}

test.each(REFUSALS)("rejects what is beyond the scope with MongoDB's code: %s", (kind, code, compile) => {
  for (const name of BEYOND[kind].split(" ")) expect(() => compile(name)).toThrow(expect.objectContaining({ code }));
});
