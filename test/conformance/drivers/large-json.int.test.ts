import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { ask, type Subject, startSubject } from "./subjects";

/* JSON cells with many objects, which are parsed in slices. */

const MIB = 1024 * 1024;
const COUNT = 300_000;
const QUERIES = {
  postgres: [
    `select 1 as n, (select json_agg(json_build_object('a', i)) from generate_series(1, ${COUNT}) i) as v`,
    `select 1 as n, (select jsonb_agg(jsonb_build_object('a', i)) from generate_series(1, ${COUNT}) i) as v`,
    `select 1 as n, jsonb_build_object('b', (select jsonb_agg(jsonb_build_object('a', i)) from generate_series(1, ${COUNT}) i), 'c', 12345678901234567890) as v`,
  ],
  mariadb: [`select 1 as n, json_compact(concat('[', repeat('{"a": 1}, ', ${COUNT - 1}), '{"a": ${COUNT}}]')) as v`],
} as const;

describe.each(["postgres", "mariadb"] as const)("on %s", (name) => {
  let subject: Subject | null;
  let source: QueryableSource;
  beforeAll(async () => {
    subject = await startSubject(name);
    if (subject) source = await subject.open(true);
  }, 120_000);
  afterAll(async () => {
    await source?.close();
    await subject?.stop();
  });

  it.each(QUERIES[name].map((query, index) => [index + 1, query] as const))(
    "C2 a large JSON cell is whole (%i)",
    async (_, query) => {
      if (!subject) return;
      const { rows } = await ask(source, query);
      const [n, value] = rows[0] ?? [];
      expect(n).toBe(1);
      const shown = typeof value === "string" ? JSON.parse(value) : value;
      const list = (Array.isArray(shown) ? shown : shown.b) as { a: number }[];
      expect([list.length, list[0], list.at(-1)]).toEqual([COUNT, { a: 1 }, { a: COUNT }]);
      if (!Array.isArray(shown)) expect(shown.c).toBe("12345678901234567890");
    },
  );

  it("C2 ends the result at a JSON cell over the limit", async () => {
    if (!subject) return;
    const { rows, isCut } = await ask(source, QUERIES[name][0], { cellBytesMax: MIB });
    expect([rows, isCut]).toEqual([[], true]);
  });
});
