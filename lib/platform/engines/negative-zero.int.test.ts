import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { QueryableSource } from "@/lib/features/connections/data-source";
import { ask, change, type Subject, startSubject } from "@/test/conformance/drivers/subjects";

/* Negative zero keeps its sign in a float column. JSON has no sign for it, so nested ones are the number 0. */

type Case = [query: string, values: unknown[]];

const DUCKDB: Case[] = [
  ["select -0.0::double", [-0]],
  ["select -0.0::float", [-0]],
  ["select v from (values (-0.0::double), (1.5), (null), ('nan')) t(v)", [-0, 1.5, null, "NaN"]],
  ["select [-0.0::double, 1.5]", [[0, 1.5]]],
  ["select [-0.0::float, null]", [[0, null]]],
  ["select [[-0.0::double], [1.5]]", [[[0], [1.5]]]],
  ["select {'a': [-0.0::double], 'b': -0.0::double}", [{ a: [0], b: 0 }]],
  ["select [{'a': -0.0::double}]", [[{ a: 0 }]]],
  ["select map {'k': [-0.0::double]}", [{ k: [0] }]],
  ["select array_value(-0.0::double, 1.5)", [[0, 1.5]]],
  ["select [-0.0::double]::json", [[0]]],
  ["select list(v) from (values (-0.0::double), (2.5)) t(v)", [[0, 2.5]]],
  ["select '-0'", ["-0"]],
  ["select ['-0']", [["-0"]]],
];
const SQLITE: Case[] = [
  ["select -0.0", [-0]],
  ["select column1 from (values (-0.0), (1.5), (null))", [-0, 1.5, null]],
  ["select column1 from (values (-0.0), (2))", [-0, 2]],
  ["select column1 from (values (-0.0), ('a'))", [0, "a"]],
  ["select column1 from (values ('a'), (-0.0))", ["a", 0]],
  ["select column1 from (values (-0.0), (x'00'))", [0, "AA=="]],
  ["select column1 from (values ('-0'), (-0.0), ('-0.0'))", ["-0", 0, "-0.0"]],
  ["select '-0'", ["-0"]],
];
/** The first rows decide the type of a column, and later ones may have any other. */
const LATE: Case[] = [
  ["-0.0", [-0]],
  ["'-0'", ["-0"]],
];

describe.each([
  ["duckdb", DUCKDB],
  ["sqlite", SQLITE],
] as const)("%s", (name, cases) => {
  let subject: Subject | null = null;
  let source: QueryableSource;
  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    source = await subject.open(false);
    await change(source, "create table made (id integer)");
  }, 60_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  test.each(cases)("C8 reads negative zero in %s", async (query, values) => {
    const { rows } = await ask(source, query);
    expect(rows.map(([value]) => value)).toEqual(values);
  });

  test.runIf(name === "sqlite").each(LATE)("C8 reads %s behind 20,000 floats", async (value, values) => {
    const floats =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i + 0.5 from n";
    const { rows, fields } = await ask(source, `${floats} union all select ${value}`);
    expect(fields[0]?.type).toBe("float64");
    expect(rows.at(-1)).toEqual(values);
  });
});
