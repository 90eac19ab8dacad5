import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonText } from "@/lib/base/values/json-text";
import { databaseReady } from "@/lib/platform/db/ready";
import { closeServerMember } from "@/lib/platform/process/server-context";
import { call } from "@/test/client";
import { ask } from "@/test/conformance/drivers/subjects";
import { takeOwnDatabase } from "@/test/database";
import { type FlowAuthor, flowAuthor } from "@/test/fixtures/flows/flow-author";
import { ALL_DRIVERS, type DriverName, startValueSubject, type ValueSubject } from "./subjects";
import { isSameJson, shownText } from "./ways";

/*
 * The part of the fidelity matrix (docs/develop/correctness.md) for payloads of webhooks: a value of JSON, as its sender
 * writes it, arrives in the table of each database with every digit.
 */

process.env.ALLOW_PRIVATE_NETWORK = "all";
const LONG_TEXT_CHARS = 200_000;

/** Values of JSON by their texts; at most 60 events per flow and minute are accepted. */
const VALUES: readonly string[] = [
  ...["null", "true", "false", '""', '" "', "[]", "{}", "[[]]", "[null]", '{"a":null}'],
  ...["0", "-0", "1", "-1", "1.5", "1.50", "0.1", "1e2", "1E-7", "5e-324", "1.7976931348623157e308"],
  ...["2147483648", "9007199254740991", "9007199254740993", "-9007199254740993"],
  ...["9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551615"],
  ...["12345678901234567890.123456789", "0.1234567890123456789012345", "123456789012345678901234567890"],
  ...['"9007199254740993"', '"NaN"', '"Infinity"', '"2026-10-25T02:30:00.123456789+02:00"', '"0044-03-15 BC"'],
  ...[
    '"\u{1F9AB}"',
    '"\uFFFE"',
    '"a\\u0301"',
    '"\\n\\t\\"\\\\\\/"',
    '"\\u001f"',
    '"a,b;c"',
    `"${"x".repeat(LONG_TEXT_CHARS)}"`,
  ],
  ...['{"":1}', '{"a.b":1,"$c":2}', '{"z":1,"a":2}', '[1,"1",1.0,true,[{"a":[9007199254740993]}]]'],
];
/** A sample has each eighth value, and other values for each database. */
const SAMPLE_STEP = 8;
/** A server and an engine are in every run. */
const SAMPLED: readonly DriverName[] = ["postgres", "duckdb"];

describe.each(ALL_DRIVERS)("C9 C14 the fidelity matrix of webhook payloads to %s", (name) => {
  const own = takeOwnDatabase();
  let ana: FlowAuthor;
  let subject: ValueSubject | null = null;
  beforeAll(async () => {
    await databaseReady();
    ana = await flowAuthor();
    subject = await startValueSubject(name, ana.person.workspaceId);
  }, 180_000);
  afterAll(async () => {
    await closeServerMember("dataSources");
    await subject?.stop();
    await own.drop();
  });

  const check = async (to: ValueSubject, values: readonly string[], table: string): Promise<string[]> => {
    const connectionId = await ana.connect(to.driver.type, { ...to.config, ...(to.hasTls && { ssl: "disable" }) });
    const destination = { connectionId, table, write: "append" };
    const { flow } = await ana.make({ type: "webhook", destination, trigger: true });
    const { url, secret } = (await ana.send("POST", `/flows/${flow.id}/webhook/provision`, {})).json.data;
    const bodies = new Map(values.map((value, index) => [`event ${index}`, `{"id":"event ${index}","v":${value}}`]));
    for (const rawBody of bodies.values()) {
      const signature = createHmac("sha256", secret).update(rawBody).digest("hex");
      const answer = await call("POST", new URL(url).pathname, {
        rawBody,
        headers: { "x-service-signature": signature },
      });
      expect([rawBody.slice(0, 80), answer.json.data]).toEqual([rawBody.slice(0, 80), { accepted: true }]);
    }
    await ana.runJobs();
    const found = await payloadsOf(to, table);
    const differences = [...bodies].flatMap(([event, expected]) => {
      const text = found.get(event) ?? "(no row)";
      return isSameJson(expected, text) ? [] : [`expected ${expected.slice(0, 120)}, found ${text.slice(0, 120)}`];
    });
    process.stdout.write(
      `fidelity matrix of webhook payloads to ${name}: ${values.length} cells, ${differences.length} differences\n`,
    );
    return differences;
  };

  const tags = SAMPLED.includes(name) ? [] : ["long"];
  test("has 0 differences in a sample", { tags }, async (context) => {
    if (!subject) return context.skip();
    const first = ALL_DRIVERS.indexOf(name);
    const values = VALUES.filter((_, index) => index % SAMPLE_STEP === first);
    expect(await check(subject, values, "sample_payloads")).toEqual([]);
  });

  test("has 0 differences as a whole", { tags: ["long"], timeout: 900_000 }, async (context) => {
    if (!subject) return context.skip();
    expect(await check(subject, VALUES, "payloads")).toEqual([]);
  });
});

/** Returns the stored payloads as JSON, by their events. */
async function payloadsOf({ source, dialectName }: ValueSubject, table: string): Promise<Map<string, string>> {
  const query =
    dialectName === null
      ? `db.${table}.find({}, { _id: 0, event_id: 1, payload: 1 })`
      : `select event_id, payload from ${table}`;
  // The stand-in for ClickHouse's server repeats all writes for a read-only session.
  const { fields, rows } = await ask(source, query, { readOnly: false });
  const [id, payload] = ["event_id", "payload"].map((column) => fields.findIndex((field) => field.name === column));
  return new Map(
    rows.map((row) => {
      const value = row[payload ?? 1] ?? null;
      return [String(row[id ?? 0]), isJsonText(value) ? value.json : (shownText(value) ?? "null")];
    }),
  );
}
