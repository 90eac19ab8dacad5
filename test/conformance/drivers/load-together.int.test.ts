import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { splitCases } from "@/test/cases";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import {
  ANY,
  batchOf,
  begin,
  type FlowSource,
  type FlowSubject,
  type FlowSubjectName,
  field,
  read,
  sorted,
  startFlowSubject,
} from "./flow-steps";
import { ask, change } from "./subjects";

/*
 * Several flows load into one table concurrently, each through a separate source like another server. Each race runs
 * several times, since its order is random.
 */

const LOADED: FlowSubjectName[] = ["postgres", "mariadb", "duckdb", "sqlite"];
/** Every run has two rounds. */
const ROUNDS = splitCases([1, 2, 3, 4, 5], 5);
const AT_ONCE = 4;
const COLUMNS = [field("id", "int64"), field("name", "string")];

vi.setConfig({ testTimeout: 120_000 });

describe.each(LOADED)("concurrent loads into %s", (name) => {
  let subject: FlowSubject | null = null;
  let sources: (FlowSource & QueryableSource)[] = [];

  beforeAll(async () => {
    subject = await startFlowSubject(name);
    if (!subject) return;
    for (let i = 0; i < AT_ONCE; i += 1) sources.push(await subject.open(false));
    await sources[0]?.entities(ANY);
  }, 120_000);
  afterAll(async () => {
    for (const source of sources) await source.close();
    sources = [];
    await subject?.stop();
  });

  const first = () => sources[0] as FlowSource & QueryableSource;
  const all = async (place: { name: string }, names = ["id", "name"]): Promise<WireValue[][]> => {
    const { fields, rows } = await read(first(), { entity: place });
    const places = names.map((each) => fields.findIndex((one) => one.name === each));
    return sorted(rows.map((row) => places.map((at) => row[at] ?? null)));
  };
  const rowsOf = (who: number) => [1, 2, 3].map((n) => [who * 10 + n, `${who} wrote ${n}`]);

  for (const { tags, cases } of ROUNDS) {
    test.each(cases)("create the table once, with the rows of each (%d)", { tags }, async (round) => {
      if (!subject) return;
      const place = { name: `made_${round}` };
      await Promise.all(
        sources.map(async (source, who) => {
          const load = await begin(source, { table: place, columns: COLUMNS, load: `made ${round} by ${who}` });
          await load.write(batchOf(rowsOf(who)), { position: 1, rejectsMax: 0 });
          await load.finish();
        }),
      );
      expect(await all(place)).toEqual(sorted(sources.flatMap((_, who) => rowsOf(who))));
    });
  }

  for (const { tags, cases } of ROUNDS) {
    test.each(cases)("add a column each and one in common (%d)", { tags }, async (round) => {
      if (!subject) return;
      const place = { name: `grown_${round}` };
      await change(first(), `create table ${place.name} (id bigint)`);
      await Promise.all(
        sources.map(async (source, who) => {
          const columns = [field("id", "int64"), field("shared", "string"), field(`own_${who}`, "string")];
          const load = await begin(source, { table: place, columns, load: `grown ${round} by ${who}` });
          await load.write(batchOf([[who, "shared", "own"]]), { position: 1, rejectsMax: 0 });
          await load.finish();
        }),
      );
      const owns = sources.map((_, who) => `own_${who}`);
      expect(await all(place, ["id", "shared", ...owns])).toEqual(
        sources.map((_, who) => [who, "shared", ...owns.map((_name, at) => (at === who ? "own" : null))]),
      );
    });
  }

  for (const { tags, cases } of ROUNDS) {
    test.each(cases)("replace the rows with those of one load, completely (%d)", { tags }, async (round) => {
      if (!subject) return;
      const place = { name: `replaced_${round}` };
      // In an odd round there are rows to replace.
      await change(first(), `create table ${place.name} (id bigint, name varchar(40))`);
      if (round % 2 === 1) await change(first(), `insert into ${place.name} values (1, 'before')`);
      const loads = await Promise.all(
        sources.map(async (source, who) => {
          const load = await begin(source, {
            table: place,
            columns: COLUMNS,
            load: `replaced ${round} by ${who}`,
            mode: "replace",
          });
          await load.write(batchOf(rowsOf(who)), { position: 1, rejectsMax: 0 });
          return load;
        }),
      );
      await Promise.all(loads.map((load) => load.finish()));
      const found = await all(place);
      expect(sources.map((_, who) => rowsOf(who))).toContainEqual(found);
    });
  }

  for (const { tags, cases } of ROUNDS) {
    test.each(cases)("update the same rows in opposite orders (%d)", { tags }, async (round) => {
      if (!subject) return;
      const place = { name: `updated_${round}` };
      await change(first(), `create table ${place.name} (id bigint primary key, name varchar(40))`);
      const ids = Array.from({ length: 400 }, (_, at) => at);
      await Promise.all(
        sources.map(async (source, who) => {
          const load = await begin(source, {
            ...{ table: place, columns: COLUMNS, primaryKey: ["id"], mode: "upsert" },
            load: `updated ${round} by ${who}`,
          });
          const rows = (who % 2 === 0 ? ids : ids.toReversed()).map((id) => [id, `by ${who}`]);
          for (let position = 1; position <= 3; position += 1) {
            await load.write(batchOf(rows), { position, rejectsMax: 0 });
          }
          await load.finish();
        }),
      );
      expect(
        (await all(place, ["id"]))
          .flat()
          .map(Number)
          .sort((a, b) => a - b),
      ).toEqual(ids);
    });
  }

  test("name the column if the table has changed its shape meanwhile", async () => {
    if (!subject) return;
    const place = { name: "reshaped" };
    const load = await begin(first(), { table: place, columns: COLUMNS, load: "reshaped" });
    await load.write(batchOf([[1, "a"]]), { position: 1, rejectsMax: 0 });
    await change(first(), `drop table ${place.name}`);
    await change(first(), `create table ${place.name} (id bigint, other bigint)`);
    await expect(load.write(batchOf([[2, "b"]]), { position: 2, rejectsMax: 0 })).rejects.toThrow(/name|column/i);
    const again = await begin(first(), { table: place, columns: COLUMNS, load: "reshaped", run: "again" });
    await again.write(batchOf([[2, "b"]]), { position: 2, rejectsMax: 0 });
    await again.finish();
    expect(await all(place)).toEqual([[2, "b"]]);
  });

  test("show the new columns to a reader that knew the table before", { tags: ["long"] }, async () => {
    if (!subject) return;
    const [reader, writer] = sources as [QueryableSource, QueryableSource];
    await change(writer, "create table turned (a bigint, b bigint)");
    await change(writer, "insert into turned values (1, 2)");
    const select = () => ask(reader, "select * from turned", { readOnly: true });
    expect((await select()).fields.map((each) => each.name)).toEqual(["a", "b"]);
    await change(writer, "drop table turned");
    await change(writer, "create table turned (b bigint, a bigint, c bigint)");
    await change(writer, "insert into turned values (2, 1, 3)");
    const { fields, rows } = await select();
    expect([fields.map((each) => each.name), rows]).toEqual([["b", "a", "c"], [[2, 1, 3]]]);
  });

  test("report a table that was dropped meanwhile", { tags: ["long"] }, async () => {
    if (!subject) return;
    const place = { name: "dropped" };
    const load = await begin(first(), { table: place, columns: COLUMNS, load: "dropped" });
    await change(first(), `drop table ${place.name}`);
    await expect(load.write(batchOf([[1, "a"]]), { position: 1, rejectsMax: 0 })).rejects.toThrow(/dropped/);
  });
});
