import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPlan } from "@/lib/base/explain/read-plan";
import type { ResultRow } from "@/lib/base/values/json-rows";
import type { QueryableSource } from "../../../lib/features/connections/data-source";
import { type Answer, ask, change, type Subject, startSubject } from "./subjects";

const ROWS = 500;
const QUESTION = "select v, count(*) as n from plan_t where id < 100 group by v";

describe.each(["postgres", "mariadb", "sqlite", "duckdb"] as const)("plans of %s", (name) => {
  let subject: Subject | null = null;
  let writer: QueryableSource;
  let reader: QueryableSource;

  beforeAll(async () => {
    subject = await startSubject(name);
    if (!subject) return;
    writer = await subject.open(false);
    await change(writer, "create table plan_t (id int, v varchar(10))");
    const values = Array.from({ length: ROWS }, (_, i) => `(${i}, 'v${i % 7}')`).join(", ");
    await change(writer, `insert into plan_t values ${values}`);
    reader = await subject.open(true);
  }, 120_000);

  afterAll(async () => {
    await Promise.all([reader?.close(), writer?.close()]);
    await subject?.stop();
  });

  const measuredWords = async () => {
    const { serverVersion = "" } = subject ? await reader.test(ANY) : {};
    return (
      subject?.driver.explain?.measured?.find(({ version = "" }) => serverVersion.includes(version))?.words ?? null
    );
  };

  test("returns a tree that names the table, on a read-only connection", async (context) => {
    const explain = subject?.driver.explain;
    if (!explain) return context.skip();
    const plan = readPlan(explain.form, toRows(await ask(reader, `${explain.plan} ${QUESTION}`)));
    expect(plan?.nodes.some(({ object }) => object === "plan_t")).toBe(true);
    expect(plan?.isMeasured).toBe(false);
  });

  test("measures times and rows, and executes no write", async (context) => {
    const explain = subject?.driver.explain;
    const words = await measuredWords();
    if (!explain || words === null) return context.skip();
    const plan = readPlan(explain.form, toRows(await ask(reader, `${words} ${QUESTION}`)));
    expect(plan).toMatchObject({ isMeasured: true, weight: "time" });
    const read = plan?.nodes.find(({ object }) => object === "plan_t");
    expect([read?.realRows, (read?.realRows ?? 0) + (read?.droppedRows ?? 0)]).toEqual([100, ROWS]);

    for (const statement of ["delete from plan_t", "update plan_t set v = 'x'", "insert into plan_t values (1, 'x')"]) {
      // As the browser sends it: read-only, on a connection that may write.
      const refused = ask(writer, `${words} ${statement}`, { readOnly: true });
      await expect(refused, statement).rejects.toMatchObject({
        kind: expect.stringMatching(/^(?:read_only|not_allowed)$/),
      });
    }
    const left = await ask(reader, "select count(*) from plan_t where v <> 'x'");
    expect(Number(left.rows[0]?.[0])).toBe(ROWS);
  });
});

const ANY = new AbortController().signal;

function toRows({ fields, rows }: Answer) {
  return {
    fields,
    rows: rows.map((row) => Object.fromEntries(fields.map((field, i) => [field.name, row[i] ?? null]))) as ResultRow[],
  };
}
