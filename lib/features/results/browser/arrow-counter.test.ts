import { describe, expect, it } from "vitest";
import type { Batch, Field } from "@/lib/base/values/fields";
import { arrow } from "@/lib/features/query/serialize/arrow";
import { ArrowCounter } from "@/lib/features/results/browser/arrow-counter";

const FIELDS: Field[] = [
  { name: "n", type: "int32", dbType: "INTEGER" },
  { name: "word", type: "string", dbType: "VARCHAR" },
];

/** Returns the exact bytes that the server streams: batches of these sizes. */
function streamOf(sizes: number[]): Uint8Array {
  const format = arrow(FIELDS);
  const batches = sizes.map((size) => {
    const columns = [
      Array.from({ length: size }, (_, i) => i),
      Array.from({ length: size }, (_, i) => "x".repeat(i % 7)),
    ];
    return format.batch({ columns } as unknown as Batch, size);
  });
  return Buffer.concat([format.head(), ...batches, format.tail()]);
}

describe("ArrowCounter", () => {
  it("counts the rows of all batches, however the stream is split", () => {
    const bytes = streamOf([1, 0, 250, 3]);
    for (const piece of [1, 2, 3, 7, 64, 1000, bytes.length]) {
      const counter = new ArrowCounter();
      for (let at = 0; at < bytes.length; at += piece) counter.read(bytes.subarray(at, at + piece));
      expect(counter.rows).toBe(254);
    }
  });

  it("returns zero for an empty stream", () => {
    const counter = new ArrowCounter();
    counter.read(streamOf([]));
    expect(counter.rows).toBe(0);
  });

  it("rejects invalid streams", () => {
    expect(() => new ArrowCounter().read(new TextEncoder().encode("name,n\r\nrow 1,2\r\n"))).toThrow(
      /Invalid Arrow stream/,
    );
  });
});
