import { expect, test } from "vitest";
import { MessageLengths } from "./message-lengths";

const message = (length: number, bytes = length) => {
  const buffer = Buffer.alloc(Math.max(4, bytes), 0xab);
  buffer.writeInt32LE(length, 0);
  return buffer;
};

test.for([1, 2, 3, 4, 5, 15, 16, 17, 1000])("messages in chunks of %i bytes are followed", (size) => {
  const stream = Buffer.concat([message(16), message(17), message(500), message(16)]);
  const lengths = new MessageLengths();
  for (let at = 0; at < stream.length; at += size) expect(lengths.take(stream.subarray(at, at + size))).toBe(true);
});

test.for([0, 1, 15, -1, -2_147_483_648, 2_147_483_647])("T47 a length of %i is none, wherever it comes", (length) => {
  const stream = Buffer.concat([message(16), message(40), message(length, 64)]);
  for (const size of [1, 7, stream.length]) {
    const lengths = new MessageLengths();
    const answers: boolean[] = [];
    for (let at = 0; at < stream.length && !answers.includes(false); at += size) {
      answers.push(lengths.take(stream.subarray(at, at + size)));
    }
    expect(answers.at(-1)).toBe(false);
  }
});
