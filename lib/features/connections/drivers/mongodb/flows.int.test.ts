import { Decimal128, Double, Int32, Long, MongoClient, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireValue } from "@/lib/base/values/fields";
import { batchOf, begin, type FlowSource, field, read, rowsOf } from "@/test/conformance/drivers/flow-steps";
import { type Subject, startSubject } from "@/test/conformance/drivers/subjects";
import type { Checkpoint } from "../../data-source";

let subject: Subject | null = null;
let source: FlowSource;
let client: MongoClient;

beforeAll(async () => {
  subject = await startSubject("mongodb");
  if (!subject) throw new Error("The embedded store is always there.");
  source = (await subject.open(false)) as unknown as FlowSource;
  client = await MongoClient.connect(String(subject.config.connectionString));
});
afterAll(async () => {
  await client?.close();
  await source?.close();
  await subject?.stop();
});

const collection = (name: string) => client.db("shop").collection(name);

/** Reads to the end, resuming from the last checkpoint after each batch. */
async function inPieces(request: Parameters<typeof read>[1]): Promise<WireValue[][]> {
  const rows: WireValue[][] = [];
  let from: Checkpoint | null = request.from ?? null;
  for (let readings = 0; readings < 200; readings += 1) {
    const stored = JSON.parse(JSON.stringify(from)) as Checkpoint | null;
    const { batches } = await read(source, { ...request, from: stored }, 1);
    if (batches.length === 0) return rows;
    for (const batch of batches) rows.push(...rowsOf(batch));
    from = batches.at(-1)?.checkpoint ?? null;
  }
  throw new Error("The reading does not end.");
}

describe("reading from MongoDB", () => {
  test("resumes a whole collection by _id of any type", async () => {
    const ids = [
      3,
      "3",
      new ObjectId("65f000000000000000000001"),
      new Date(5),
      Long.fromString("9007199254740993"),
      -1.5,
    ];
    await collection("ids").insertMany(ids.map((_id, n) => ({ _id: _id as never, n: new Int32(n) })));
    const rows = await inPieces({ entity: { name: "ids" }, batchRows: 1 });
    expect(rows.map((row) => row[1])).toEqual([5, 0, 4, 1, 2, 3]);
  });

  test("reads a cursor over numbers of all types, texts, dates and nulls: none twice, none missed", async () => {
    const values = [
      ...[null, undefined, new Int32(1), new Double(1), Long.fromNumber(1), Decimal128.fromString("1.0")],
      ...[new Double(1.5), Decimal128.fromString("1.50"), Long.fromString("9007199254740993"), "a", "A", "a ", "ä"],
      ...[new Date("2026-10-31T10:00:00.123Z"), new Date("2026-10-31T10:00:00.124Z"), new ObjectId(), true],
    ];
    await collection("cursors").insertMany(values.map((at, n) => ({ n, ...(at !== undefined && { at }) })));
    const request = { entity: { name: "cursors" }, cursorField: "at", primaryKey: ["_id"], batchRows: 1 };
    const rows = await inPieces(request);
    expect(rows.map((row) => Number(row[1])).sort((left, right) => left - right)).toEqual(values.map((_, n) => n));
    // 1 comes again as a decimal: it is the same value, and only the new document is read.
    const upToOne = await read(source, request, 6);
    await collection("cursors").insertOne({ _id: new ObjectId("000000000000000000000001"), n: 99, at: 1 } as never);
    const { rows: next } = await read(source, { ...request, from: upToOne.batches.at(-1)?.checkpoint ?? null });
    expect(next.map((row) => row[1])).toContain(99);
    expect(next).toHaveLength(values.length - 6 + 1);
  });

  test("keeps fields that only later documents have", async () => {
    await collection("late").insertMany(
      Array.from({ length: 1500 }, (_, n) => ({ n, ...(n === 1400 && { extra: "x" }) })),
    );
    const { fields, rows } = await read(source, { entity: { name: "late" } });
    expect(fields.map(({ name }) => name)).toEqual(["_id", "n", "_other"]);
    expect(rows).toHaveLength(1500);
    expect(rows.find((row) => row[1] === 1400)?.[2]).toEqual({ extra: "x" });
  });
});

describe("loading into MongoDB", () => {
  test("maps values to BSON types", async () => {
    const columns = [
      ...[
        field("i", "int32"),
        field("l", "int64"),
        field("f", "float64"),
        field("d", "decimal"),
        field("b", "boolean"),
      ],
      ...[field("at", "timestamptz"), field("o", "objectId"), field("u", "string", "uuid"), field("j", "json")],
    ];
    const load = await begin(source, { table: { name: "typed" }, columns });
    const uuid = "01234567-89ab-cdef-0123-456789abcdef";
    const row = [
      1,
      "9007199254740993",
      1,
      "1.50",
      true,
      "2026-10-31T10:00:00.123456Z",
      "65f000000000000000000001",
      uuid,
    ];
    await load.write(batchOf([[...row, { a: [1] }]]), { position: 1, rejectsMax: 0 });
    const types = Object.fromEntries(columns.map(({ name }) => [name, { $type: `$${name}` }]));
    const [found] = await collection("typed")
      .aggregate([{ $project: { _id: 0, ...types } }])
      .toArray();
    expect(found).toEqual({
      ...{ i: "int", l: "long", f: "double", d: "decimal", b: "bool", at: "date", o: "objectId", u: "binData" },
      j: "object",
    });
    expect(load.guarantee).toBe("exactly_once");
  });

  test("keeps the collection's indexes and validation in replace mode", async () => {
    await client.db("shop").createCollection("ruled", { validator: { n: { $lt: 10 } } });
    await collection("ruled").createIndex({ n: 1 }, { unique: true, name: "by_n" });
    const load = await begin(source, { table: { name: "ruled" }, columns: [field("n", "int32")], mode: "replace" });
    await load.write(batchOf([[1], [2]]), { position: 1, rejectsMax: 0 });
    const { rejected } = await load.write(batchOf([[3], [30], [1]]), { position: 2, rejectsMax: 2 });
    expect(rejected.map(({ row }) => row).sort()).toEqual([1, 2]);
    await load.finish();
    expect(await collection("ruled").countDocuments()).toBe(3);
    expect((await collection("ruled").indexes()).map(({ name }) => name)).toEqual(["_id_", "by_n"]);
    await expect(collection("ruled").insertOne({ n: 11 })).rejects.toThrow();
  });
});
