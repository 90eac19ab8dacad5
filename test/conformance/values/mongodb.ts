import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  ObjectId,
  Timestamp,
  UUID,
} from "mongodb";
import { startSubject } from "@/test/conformance/drivers/subjects";
import type { ValueSubject } from "./subjects";
import { TEXTS_SHOWN } from "./types";
import type { Depth, ValueTable } from "./ways";

/* MongoDB: BSON types with boundary values. The displayed form of each is a literal, not computed. */

type BsonCase = { type: string; values: readonly (readonly [value: unknown, shown: string])[]; form?: "json" };

const long = (text: string) => [Long.fromString(text), text] as const;
const decimal = (text: string) => [Decimal128.fromString(text), text] as const;
const date = (text: string) => [new Date(text), text] as const;

const BSON: readonly BsonCase[] = [
  {
    type: "int",
    values: [
      [new Int32(-2147483648), "-2147483648"],
      [new Int32(2147483647), "2147483647"],
      [new Int32(0), "0"],
    ],
  },
  {
    type: "long",
    values: [
      long("-9223372036854775808"),
      long("9223372036854775807"),
      long("9007199254740991"),
      long("9007199254740992"),
      long("9007199254740993"),
    ],
  },
  {
    type: "double",
    values: [
      [new Double(0.1), "0.1"],
      [new Double(Number.NaN), "NaN"],
      [new Double(Number.POSITIVE_INFINITY), "Infinity"],
      [new Double(Number.NEGATIVE_INFINITY), "-Infinity"],
      [new Double(5e-324), "5e-324"],
      [new Double(1.7976931348623157e308), "1.7976931348623157e+308"],
      [new Double(0.30000000000000004), "0.30000000000000004"],
    ],
  },
  {
    type: "decimal",
    values: [
      decimal("1.10"),
      decimal("1234567890123456789012345678901234"),
      decimal("-1E-33"),
      decimal("18446744073709551615"),
    ],
  },
  { type: "decimal without an end", values: [decimal("NaN"), decimal("Infinity"), decimal("1E+6111")] },
  { type: "string", values: TEXTS_SHOWN.map((text) => [text, text] as const) },
  {
    type: "bool",
    values: [
      [true, "true"],
      [false, "false"],
    ],
  },
  {
    type: "date",
    values: [
      date("2026-10-31T01:02:03.123Z"),
      date("0001-01-01T00:00:00.000Z"),
      date("9999-12-31T23:59:59.999Z"),
      date("-000043-03-15T12:00:00.000Z"),
      date("+012345-01-02T00:00:00.000Z"),
    ],
  },
  { type: "objectId", values: [[new ObjectId("0123456789abcdef01234567"), "0123456789abcdef01234567"]] },
  {
    type: "uuid",
    values: [[new UUID("01234567-89ab-cdef-8123-456789abcdef"), "01234567-89ab-cdef-8123-456789abcdef"]],
  },
  {
    type: "binData",
    values: [
      [new Binary(Buffer.from([0, 255, 16])), "AP8Q"],
      [new Binary(Buffer.from("a")), "YQ=="],
    ],
  },
  { type: "regex", values: [[new BSONRegExp("a.b", "i"), "/a.b/i"]] },
  { type: "timestamp", values: [[new Timestamp({ t: 1, i: 2 }), "Timestamp(1, 2)"]] },
  {
    type: "minKey",
    values: [
      [new MinKey(), "MinKey"],
      [new MaxKey(), "MaxKey"],
    ],
  },
  {
    type: "object",
    values: [
      [
        { a: Long.fromString("9007199254740993"), b: [Decimal128.fromString("1.50"), null] },
        '{"a":"9007199254740993","b":["1.50",null]}',
      ],
      [{ "": 1, "a.b": "x", __o: {} }, '{"":1,"a.b":"x","__o":{}}'],
    ],
    form: "json",
  },
  {
    type: "array",
    values: [
      [[new Int32(1), null, "x", Long.fromString("9007199254740993")], '[1,null,"x","9007199254740993"]'],
      [[], "[]"],
      [[[new Date(0)]], '[["1970-01-01T00:00:00.000Z"]]'],
    ],
    form: "json",
  },
  {
    type: "mixed",
    values: [
      [new Int32(1), "1"],
      ["x", "x"],
      [true, "true"],
      [Long.fromString("9007199254740993"), "9007199254740993"],
    ],
  },
];

/** Starts the embedded store, which implements MongoDB's protocol. */
export async function startMongoSubject(): Promise<ValueSubject | null> {
  const subject = await startSubject("mongodb");
  if (!subject) return null;
  const source = await subject.open(false);
  const client = await MongoClient.connect(String(subject.config.connectionString));
  const db = client.db(String(subject.config.database));
  const insert = (name: string, documents: object[]) => db.collection(name).insertMany(documents as never[]);

  const makeAll = async (depth: Depth): Promise<ValueTable[]> => {
    const copies = depth === "sample" ? 2 : 3;
    const tables: ValueTable[] = [];
    for (const [index, { type, values, form }] of BSON.entries()) {
      const some = values.slice(0, depth === "sample" ? 2 : values.length);
      const all = Array.from({ length: copies }, () => some).flat();
      const name = `${depth}_t${index}`;
      const documents = all.map(([v], at) => ({ id: new Int32(at + 1), v }));
      await insert(name, [...documents, { id: new Int32(all.length + 1), v: null }, { id: new Int32(all.length + 2) }]);
      const shown = new Map<number, string | null>(all.map(([, text], at) => [at + 1, text]));
      shown.set(all.length + 1, null).set(all.length + 2, null);
      const entity = { name, kind: "collection" as const };
      const noOrder = { ascending: [], descending: [] };
      tables.push({
        type: { type, values: [], form, isNotBound: true, isUnordered: true },
        shown,
        keyed: entity,
        keyless: entity,
        ...noOrder,
      });
    }
    const [count] = [Math.max(...tables.map(({ shown }) => shown.size))];
    const wide = Array.from({ length: count }, (_, at) => ({
      id: new Int32(at + 1),
      ...Object.fromEntries(
        BSON.map(({ values }, index) => {
          const some = values.slice(0, depth === "sample" ? 2 : values.length);
          return [`c${index}`, at < some.length * copies ? some[at % some.length]?.[0] : null];
        }),
      ),
    }));
    await insert(`${depth}_wide`, wide);
    return tables;
  };
  const find = (name: string, fields: string) => `db.${name}.find({}, { _id: 0${fields} }).sort({ id: 1 })`;
  return {
    name: "mongodb",
    driver: subject.driver,
    config: subject.config,
    hasTls: false,
    dialectName: null,
    source,
    types: [],
    makeAll,
    select: (name) => find(name, ", id: 1, v: 1"),
    wide: async (tables) => find(`${tables[0]?.keyed.name.split("_")[0]}_wide`, ""),
    stop: async () => {
      await client.close();
      await source.close();
      await subject.stop();
    },
  } as Partial<ValueSubject> as ValueSubject;
}
