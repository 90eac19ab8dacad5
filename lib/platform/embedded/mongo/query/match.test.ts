import { BSONRegExp, Decimal128, type Document, Double, Long, MaxKey, MinKey, ObjectId, Timestamp } from "bson";
import { describe, expect, test } from "vitest";
import { doc } from "../../../../../test/fixtures/embedded/mongo/plain.ts";
import { compileMatch, parseMatch } from "./match.ts";

const variables = { scope: undefined };

function matches(object: Document, filter: Document): boolean {
  return compileMatch(parseMatch(doc(filter), { variables }), variables)(doc(object));
}

/** Filter, documents that match, documents that do not. From MongoDB's manual and its documented corner cases. */
const table: [string, Document, Document[], Document[]][] = [
  ["null is null and missing", { a: null }, [{}, { a: null }, { a: [1, null] }], [{ a: 0 }, { a: [] }, { a: "" }]],
  [
    "a path that ends early is missing",
    { "a.b": null },
    [{}, { a: 1 }, { a: { c: 1 } }, { a: [{ b: 1 }, { c: 1 }] }],
    [{ a: [1, 2] }, { a: [] }, { a: [{ b: 1 }] }],
  ],
  [
    "numbers of all types are one",
    { a: 1 },
    [{ a: 1 }, { a: new Double(1) }, { a: Long.fromNumber(1) }, { a: Decimal128.fromString("1.0") }],
    [{ a: "1" }, { a: true }],
  ],
  ["an array matches by element or as a whole", { a: 2 }, [{ a: [1, 2] }, { a: 2 }], [{ a: [[2]] }, { a: [1] }]],
  [
    "a whole array is compared in order",
    { a: [1, 2] },
    [{ a: [1, 2] }, { a: [[1, 2], 3] }],
    [{ a: [2, 1] }, { a: [1, 2, 3] }],
  ],
  [
    "a document is compared with its order of fields",
    { a: { x: 1, y: 2 } },
    [{ a: { x: 1, y: 2 } }, { a: [{ x: 1, y: 2 }] }],
    [{ a: { y: 2, x: 1 } }, { a: { x: 1 } }],
  ],
  [
    "comparisons stay within a type",
    { a: { $gt: 5 } },
    [{ a: 6 }, { a: [1, 9] }],
    [{ a: "9" }, { a: null }, {}, { a: new Date() }, { a: Number.NaN }],
  ],
  ["$gte null is null alone", { a: { $gte: null } }, [{}, { a: null }], [{ a: 1 }]],
  ["$lte NaN is NaN alone", { a: { $lte: Number.NaN } }, [{ a: Number.NaN }], [{ a: 1 }]],
  [
    "MinKey and MaxKey compare with all types",
    { a: { $gt: new MinKey() } },
    [{ a: 1 }, { a: "x" }, { a: new MaxKey() }],
    [{ a: new MinKey() }],
  ],
  [
    "two conditions may be met by two elements",
    { a: { $gt: 1, $lt: 3 } },
    [{ a: [0, 5] }, { a: 2 }],
    [{ a: [0] }, { a: 5 }],
  ],
  ["$ne of an array wants no element at all", { a: { $ne: 2 } }, [{ a: [1, 3] }, {}, { a: null }], [{ a: [1, 2] }]],
  [
    "$in with null and an expression",
    { a: { $in: [null, /^x/, 7] } },
    [{}, { a: "xy" }, { a: [7] }],
    [{ a: "yx" }, { a: 8 }],
  ],
  [
    "$in of whole numbers meets every numeric type",
    { a: { $in: [1, 2] } },
    [{ a: Long.fromNumber(2) }, { a: new Double(1) }],
    [{ a: 3 }],
  ],
  ["$nin", { a: { $nin: [1, null] } }, [{ a: 2 }], [{ a: 1 }, {}, { a: [1, 5] }]],
  ["$exists", { "a.b": { $exists: true } }, [{ a: { b: null } }, { a: [{ b: 1 }] }], [{ a: 1 }, { a: [1] }, {}]],
  ["$exists false", { a: { $exists: false } }, [{}], [{ a: null }]],
  [
    "$type by name, number and group",
    { a: { $type: ["string", 16] } },
    [{ a: "x" }, { a: 5 }, { a: [5] }],
    [{ a: 5.5 }, { a: null }],
  ],
  ["$type array is the array itself", { a: { $type: "array" } }, [{ a: [] }, { a: [[1]] }], [{ a: 1 }]],
  ["$type number", { a: { $type: "number" } }, [{ a: 1 }, { a: 1.5 }, { a: Decimal128.fromString("1") }], [{ a: "1" }]],
  ["$size", { a: { $size: 2 } }, [{ a: [1, 2] }], [{ a: [1] }, { a: 2 }, { a: [[1, 2]] }]],
  [
    "$regex with options",
    { a: { $regex: "^ab", $options: "i" } },
    [{ a: "ABC" }, { a: ["x", "abx"] }],
    [{ a: "cab" }, { a: 5 }],
  ],
  [
    "an expression also equals itself as a value",
    { a: /x/ },
    [{ a: "axb" }, { a: new BSONRegExp("x") }],
    [{ a: new BSONRegExp("y") }],
  ],
  ["$not", { a: { $not: { $gt: 5 } } }, [{ a: 5 }, {}, { a: "x" }], [{ a: 6 }]],
  ["$nor", { $nor: [{ a: 1 }, { b: 2 }] }, [{ a: 2 }, {}], [{ a: 1 }, { b: 2 }]],
  [
    "$or within $and",
    { $and: [{ $or: [{ a: 1 }, { a: 2 }] }, { b: 1 }] },
    [{ a: 2, b: 1 }],
    [{ a: 3, b: 1 }, { a: 1 }],
  ],
  ["a position in a path", { "a.1": 5 }, [{ a: [0, 5] }, { a: { "1": 5 } }, { a: [{ "1": 5 }] }], [{ a: [5, 0] }]],
  ["a position and then a field", { "a.0.b": 1 }, [{ a: [{ b: 1 }] }], [{ a: [{ b: 2 }, { b: 1 }] }]],
  [
    "documents in arrays on the way",
    { "a.b": 5 },
    [{ a: [{ b: 1 }, { b: 5 }] }, { a: { b: [4, 5] } }],
    [{ a: [[{ b: 5 }]] }],
  ],
  ["$expr", { $expr: { $gt: ["$a", "$b"] } }, [{ a: 2, b: 1 }], [{ a: 1, b: 2 }, { b: 1 }]],
  [
    "timestamps and ids compare by their own order",
    { a: { $lt: new Timestamp({ t: 5, i: 2 }) } },
    [{ a: new Timestamp({ t: 5, i: 1 }) }],
    [{ a: new Timestamp({ t: 6, i: 0 }) }, { a: new ObjectId() }],
  ],
  ["names of prototypes are names", { constructor: null }, [{}], [{ constructor: 1 }]],
];

describe("a filter", () => {
  test.each(table)("%s", (_, filter, hits, misses) => {
    for (const hit of hits) expect({ of: hit, is: matches(hit, filter) }).toEqual({ of: hit, is: true });
    for (const miss of misses) expect({ of: miss, is: matches(miss, filter) }).toEqual({ of: miss, is: false });
  });

  test.each([
    ["an unknown operator", { a: { $nope: 1 } }, 2],
    ["an unknown operator at the top", { $nope: 1 }, 2],
    ["$where, which would run JavaScript", { $where: "1" }, 2],
    ["$in without an array", { a: { $in: 1 } }, 2],
    ["an empty $or", { $or: [] }, 2],
    ["an operator within $in", { a: { $in: [{ $gt: 1 }] } }, 2],
    ["$size of text", { a: { $size: "1" } }, 9],
    ["$not of nothing", { a: { $not: {} } }, 2],
    ["a pattern that is not literal text", { a: { $regex: "^a+$" } }, 51091],
    ["an option of an expression besides i", { a: { $regex: "a", $options: "m" } }, 51091],
    ["unknown flags of an expression", { a: { $regex: "a", $options: "q" } }, 51108],
    ["an unknown type", { a: { $type: "nope" } }, 2],
    ["a mixture of operators and fields", { a: { $gt: 1, b: 2 } }, 2],
    ["an unknown expression", { $expr: { $nope: 1 } }, 168],
  ])("is rejected with MongoDB's code: %s", (_, filter, code) => {
    let thrown: unknown;
    try {
      parseMatch(doc(filter), { variables });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
  });
});
