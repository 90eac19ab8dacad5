import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import type { LoadMode } from "@/lib/features/connections/data-source";
import { begin, type FlowSource, read } from "@/test/conformance/drivers/flow-steps";
import { ALL_SOURCES, type DriverName, startValueSubject, type ValueSubject } from "./subjects";
import { isSame, isSameJson, isSameNumber, isSameTime, readShown, type ValueTable } from "./ways";

/*
 * The part of the fidelity matrix (docs/develop/correctness.md) for flows: from each database into each, in every mode.
 * A value arrives unchanged, or in its substitute form if the destination lacks the type, or its row is rejected.
 */

/** Flows known to change a value. The list has to stay empty. */
const KNOWN_DIFFERENCES: readonly string[] = [];

type Mode = { name: string; mode: LoadMode; cursorField: string | null };
const MODES: readonly Mode[] = [
  { name: "full", mode: "replace", cursorField: null },
  { name: "incremental", mode: "append", cursorField: "id" },
  { name: "upsert", mode: "upsert", cursorField: null },
];

const flowOf = ({ source }: ValueSubject) => source as unknown as FlowSource;

/** @returns rows that the destination rejected */
async function carry(
  from: ValueSubject,
  to: ValueSubject,
  table: ValueTable,
  name: string,
  how: Mode,
): Promise<Set<number>> {
  const { fields, batches } = await read(flowOf(from), {
    entity: { name: table.keyed.name },
    cursorField: how.cursorField,
    primaryKey: ["id"],
  });
  const load = await begin(flowOf(to), {
    table: { name },
    columns: fields,
    mode: how.mode,
    primaryKey: ["id"],
    ...(how.mode === "replace" && { visible: "end" }),
  });
  const rejected = new Set<number>();
  const place = fields.findIndex((field) => field.name === "id");
  for (const { rowCount, columns, checkpoint } of batches) {
    const written = await load.write({ rowCount, columns }, { position: checkpoint, rejectsMax: rowCount });
    for (const { row } of written.rejected) rejected.add(Number(columns[place]?.[row]));
  }
  await load.finish();
  return rejected;
}

/** MariaDB's own TIMESTAMP ends in 2038, so flows write instants as DATETIME in UTC. */
function isSameInstant(shown: string, found: string): boolean {
  return /^\d{4}-\d\d-\d\dT.*Z$/.test(shown) && shown === `${found}Z`;
}

/** MongoDB's dates have milliseconds: flows cut further digits (docs/develop/flow-databases.md). */
function isSameMilliseconds(shown: string, found: string): boolean {
  return /T.*Z$/.test(shown) && isSameTime(shown.replace(/(\.\d{3})\d*Z$/, "$1Z"), found);
}

/** Whether a text represents the value in a database without its type. */
function standsFor(shown: string, found: string): boolean {
  if (shown === found || isSame(shown, found, "json") || isSameNumber(shown, found)) return true;
  if (isSameTime(shown, found)) return true;
  if (isSameJson(shown, found)) return true;
  if (shown === "true" || shown === "false") return found === String(Number(shown === "true"));
  if (shown === "0" || shown === "1") return found === String(shown === "1");
  // A time without a zone is UTC if the destination has only instants, and the reverse.
  const plain = (text: string) =>
    text
      .replace(/Z$/, "")
      .replace("T", " ")
      .replace(/(\.\d*?)0+$/, "$1")
      .replace(/\.$/, "");
  if (/^[+-]?\d{4,6}-\d\d-\d\d/.test(shown) && plain(shown) === plain(found)) return true;
  // A JSON string in a text column.
  return found === JSON.stringify(shown);
}

async function differencesOf(from: ValueSubject, to: ValueSubject, table: ValueTable, name: string, how: Mode) {
  let rejected: Set<number>;
  try {
    rejected = await carry(from, to, table, name, how);
  } catch (error) {
    return [`no failure: ${String(error).slice(0, 200)}`];
  }
  const found = await readShown(to, name);
  const differences = new Set<string>();
  for (const [id, shown] of table.shown) {
    if (rejected.has(id)) continue;
    const value: WireValue | undefined = found.get(id);
    const isAlike =
      shown === null || value === null || value === undefined
        ? shown === value
        : from.name === to.name
          ? isSame(shown, value, table.type.form) ||
            isSameNumber(shown, value) ||
            isSameInstant(shown, value) ||
            isSameTime(shown, value) ||
            // DuckDB has a type for each struct; flows create a JSON column.
            (table.type.form === "json" && isSameJson(shown, value))
          : standsFor(shown, value) || (to.name === "mongodb" && isSameMilliseconds(shown, value));
    if (!isAlike) differences.add(`expected ${shown?.slice(0, 80)}, found ${value?.slice(0, 120)}`);
  }
  if (from.name === to.name && rejected.size > 0) differences.add(`rejected ${rejected.size} rows of its own type`);
  return [...differences];
}

describe("C9 the fidelity matrix of flows", { tags: ["long"], timeout: 3_600_000 }, () => {
  const subjects = new Map<DriverName, ValueSubject>();
  beforeAll(async () => {
    for (const name of ALL_SOURCES) {
      const subject = await startValueSubject(name);
      if (subject) subjects.set(name, subject);
    }
  }, 300_000);
  afterAll(async () => {
    for (const subject of subjects.values()) await subject.stop();
  }, 300_000);

  test.for(ALL_SOURCES)("has 0 differences from %s", async (name, context) => {
    const from = subjects.get(name);
    if (!from) return context.skip();
    const found: string[] = [];
    let cells = 0;
    for (const [index, table] of (await from.makeAll("sample")).entries()) {
      for (const to of subjects.values()) {
        if (to.name === "trino") continue;
        for (const how of to === from ? MODES : MODES.slice(0, 1)) {
          cells += table.shown.size;
          const destination = `${how.mode}_of_${name}_${index}`;
          const cell = `${name} ${table.type.type} to ${to.name}, ${how.name}`;
          if (KNOWN_DIFFERENCES.includes(cell)) continue;
          for (const each of await differencesOf(from, to, table, destination, how)) found.push(`${cell}: ${each}`);
        }
      }
    }
    process.stdout.write(`fidelity matrix of flows from ${name}: ${cells} cells, ${found.length} differences\n`);
    expect(found).toEqual([]);
  });
});
