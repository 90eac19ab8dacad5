import fc from "fast-check";
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  CodeWithScope,
  DbPointer,
  Decimal128,
  double,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UNDEFINED,
  type Value,
} from "../values.ts";

const LONG_MIN = -(2n ** 63n);
const LONG_MAX = 2n ** 63n - 1n;

/** Whole numbers around the edges of doubles and of int64, where comparisons go wrong first. */
const edges = fc.constantFrom(0n, 1n, 2n ** 31n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 62n, 2n ** 63n - 1n);
const long = fc.oneof(
  fc.bigInt({ min: LONG_MIN, max: LONG_MAX }),
  fc.tuple(edges, fc.integer({ min: -2, max: 2 }), fc.boolean()).map(([edge, step, isNegative]) => {
    const n = (isNegative ? -edge : edge) + BigInt(step);
    return n > LONG_MAX ? LONG_MAX : n < LONG_MIN ? LONG_MIN : n;
  }),
);
const decimal = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -3, max: 3 }))
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
  long.map((n) => Decimal128.fromString(n.toString())),
  fc.constantFrom("NaN", "Infinity", "-Infinity").map((text) => Decimal128.fromString(text)),
);
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: fc.constantFrom("a", "b", "\u0000", "\u00ff", "\uffff", "\u{10000}"), maxLength: 4 }),
);
const name = fc.string({ unit: fc.constantFrom("a", "b", "2", "é"), maxLength: 2 });
const objectId = fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes));

const { value: tree } = fc.letrec<{ value: Value; scalar: Value; doc: Map<string, Value>; list: Value[] }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, tie("scalar"), tie("doc"), tie("list")),
  scalar: fc.oneof(
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.integer({ min: -3, max: 3 }),
    fc.double().map(double),
    fc.integer({ min: -3, max: 3 }).map(double),
    long,
    decimal,
    text,
    objectId,
    fc.date({ noInvalidDate: true }),
    fc
      .tuple(fc.uint8Array({ maxLength: 5 }), fc.constantFrom(0, 4, 128))
      .map(([bytes, kind]) => new Binary(bytes, kind)),
    fc.tuple(name, fc.constantFrom("", "i", "m")).map(([pattern, options]) => new BSONRegExp(pattern, options)),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((n) => new Timestamp(n)),
    text.map((value) => new Code(value)),
    name.map((value) => new CodeWithScope(value, new Map([["a", 1]]))),
    text.map((value) => new BSONSymbol(value)),
    fc.tuple(name, objectId).map(([namespace, id]) => new DbPointer(namespace, id)),
    fc.constantFrom(new MinKey(), new MaxKey(), UNDEFINED),
  ),
  doc: fc.array(fc.tuple(name, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
  list: fc.array(tie("value"), { maxLength: 3 }),
}));

/** Any BSON value, all types, with many near misses. */
export function anyValue(): fc.Arbitrary<Value> {
  return tree;
}

/** Any document of up to four fields. */
export function anyDoc(): fc.Arbitrary<Map<string, Value>> {
  return fc.array(fc.tuple(name, tree), { maxLength: 4 }).map((entries) => new Map(entries));
}
