import { ReadableStream as WebStream } from "node:stream/web";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { mergeDeltas } from "./merge-deltas";

type Part = LanguageModelV4StreamPart;
const text = (delta: string, id = "t"): Part => ({ type: "text-delta", id, delta });

const mergedOf = (parts: Iterable<Part> | AsyncIterable<Part>) =>
  (WebStream.from(parts) as unknown as ReadableStream<Part>).pipeThrough(mergeDeltas());

async function merged(parts: Iterable<Part> | AsyncIterable<Part>): Promise<Part[]> {
  const found: Part[] = [];
  for await (const part of mergedOf(parts) as unknown as AsyncIterable<Part>) found.push(part);
  return found;
}

it("merges deltas that arrive together and keeps the order", async () => {
  const noted: Part = {
    type: "reasoning-delta",
    id: "r",
    delta: "",
    providerMetadata: { provider: { signature: "s" } },
  };
  const found = await merged([
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "think" },
    noted,
    { type: "reasoning-end", id: "r" },
    { type: "text-start", id: "t" },
    text("a"),
    text("b"),
    text("c"),
    text("d", "u"),
    { type: "text-end", id: "t" },
    { type: "tool-input-delta", id: "k", delta: '{"a"' },
    { type: "tool-input-delta", id: "k", delta: ":1}" },
    { type: "tool-input-end", id: "k" },
  ]);
  expect(found).toEqual([
    { type: "stream-start", warnings: [] },
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: "think" },
    noted,
    { type: "reasoning-end", id: "r" },
    { type: "text-start", id: "t" },
    text("abc"),
    text("d", "u"),
    { type: "text-end", id: "t" },
    { type: "tool-input-delta", id: "k", delta: '{"a":1}' },
    { type: "tool-input-end", id: "k" },
  ]);
});

it("does not delay a delta that arrives alone", async () => {
  const gate = Promise.withResolvers<void>();
  async function* slowly() {
    yield text("one ");
    await gate.promise;
    yield text("two");
  }
  const reader = mergedOf(slowly()).getReader();
  expect((await reader.read()).value).toEqual(text("one "));
  gate.resolve();
  expect((await reader.read()).value).toEqual(text("two"));
  expect((await reader.read()).done).toBe(true);
});

it("passes a model's failure on, but not a reader that leaves", async () => {
  async function* failing() {
    yield text("one");
    throw new Error("cut");
  }
  await expect(merged(failing())).rejects.toThrow("cut");
  const reader = mergedOf([text("one"), text("two")]).getReader();
  await reader.cancel();
  await new Promise((resolve) => setImmediate(resolve));
});
