import { expect, it } from "vitest";
import { readEventBody, readStoredEvent } from "./event-body";

it.each([
  ['{"id":"x","id":"y"}', '{"id":"y"}'],
  ['{"a":[{"b":1,"c":2,"b":3}]}', '{"a":[{"b":3,"c":2}]}'],
  ['{"a":1,"\\u0061":2}', '{"a":2}'],
  ['{"a":{"b":1},"a":{"c":2}}', '{"a":{"c":2}}'],
  ['{"n":12345678901234567890,"n":12345678901234567891}', '{"n":12345678901234567891}'],
  ['{"n":1e400,"a":1,"a":0.12345678901234567890}', '{"n":1e400,"a":0.12345678901234567890}'],
  ['\uFEFF {"a":1,"a":null} ', '{"a":null}'],
  ['{"":1,"":2}', '{"":2}'],
  ['{"a":"\\ud800","a":"\\ud801"}', '{"a":"\\ud801"}'],
])(
  "C7 writes the stored event %s with the last of its duplicate keys, which are rejected in new ones",
  (stored, written) => {
    expect(readStoredEvent(stored)).toBe(written);
    expect(() => readEventBody(Buffer.from(stored), null)).toThrow(/Duplicate key/);
  },
);

it.each(['{"a" : 1.0, "b":[1 ,2]}', '{"a":{"b":1},"b":1}', '[{"a":1},{"a":1}]', '"a: a: a"', "1.50", "null"])(
  "C7 writes the stored event %s unchanged",
  (stored) => {
    expect(readStoredEvent(stored)).toBe(stored);
    expect(readEventBody(Buffer.from(stored), null).json).toBe(stored);
  },
);

it.each(["", "\uFEFF", "{", "NaN", '{"__proto__":1,"a":1,"a":2}'])("C7 rejects the stored event '%s'", (stored) => {
  expect(() => readStoredEvent(stored)).toThrow(/empty|not valid JSON/);
});
