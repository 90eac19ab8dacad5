import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type EngineResponse,
  encodeFrame,
  FrameReader,
  FrameTooLarge,
  parseRequest,
  type TransactRequest,
} from "./wire.ts";

const LIMIT = 1_000_000;
const batch = (value: string): EngineResponse => ({ type: "batch", batch: { rowCount: 1, columns: [[value]] } });

describe("frames", () => {
  it("are unchanged by a round trip, however the bytes are split", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.integer({ min: 1, max: 50 }), (values, size) => {
        const bytes = Buffer.concat(values.map((value) => encodeFrame(batch(value), LIMIT)));
        const reader = new FrameReader<EngineResponse>(LIMIT);
        const messages: EngineResponse[] = [];
        for (let at = 0; at < bytes.length; at += size) messages.push(...reader.push(bytes.subarray(at, at + size)));
        expect(messages).toEqual(values.map(batch));
      }),
    );
  });

  it("keep the bytes of a transaction's parameters beside its other values", () => {
    const param = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.uint8Array().map(Buffer.from));
    const steps = fc.array(fc.record({ run: fc.string(), params: fc.array(param) }));
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 50 }), (given, size) => {
        const request: TransactRequest = { type: "transact", steps: given, isProbe: false, timeoutMs: 1 };
        const bytes = encodeFrame(request, LIMIT);
        const reader = new FrameReader<TransactRequest>(LIMIT, parseRequest);
        const messages: TransactRequest[] = [];
        for (let at = 0; at < bytes.length; at += size) messages.push(...reader.push(bytes.subarray(at, at + size)));
        expect(messages).toEqual([request]);
      }),
    );
  });

  it("over the limit are not written, and rejected when announced", () => {
    expect(() => encodeFrame(batch("x".repeat(100)), 50)).toThrow(FrameTooLarge);
    const steps = [{ run: "", params: [Buffer.alloc(100)] }];
    const request = { type: "transact" as const, steps, isProbe: false, timeoutMs: 1 };
    expect(() => encodeFrame(request, 150)).toThrow(FrameTooLarge);
    const announcing = Buffer.from([0xff, 0xff, 0xff, 0x7f]);
    expect(() => new FrameReader(LIMIT).push(announcing)).toThrow(FrameTooLarge);
  });
});
