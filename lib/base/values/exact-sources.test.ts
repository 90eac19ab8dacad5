import { describe, expect, it } from "vitest";
import { parseDashboardJson } from "./exact-sources";

describe("parseDashboardJson", () => {
  it.each([
    ['{"source":{"params":[9007199254740993]}}', '{"source":{"params":[9007199254740993]}}'],
    [
      '{"source":{"query":{"filter":{"n":9007199254740993}}}}',
      '{"source":{"query":{"filter":{"n":9007199254740993}}}}',
    ],
    [
      '[{"source":{"params":{"n":[0.12345678901234567890]}}}]',
      '[{"source":{"params":{"n":[0.12345678901234567890]}}}]',
    ],
    ['{"spec":{"at":9007199254740993},"source":null}', '{"spec":{"at":9007199254740992},"source":null}'],
    ['{"a":1e20}', '{"a":100000000000000000000}'],
    ['{"a":"9007199254740993"}', '{"a":"9007199254740993"}'],
    ['{"a":0.1,"source":{"params":[0.30000000000000004]}}', '{"a":0.1,"source":{"params":[0.30000000000000004]}}'],
    ["[1,2]", "[1,2]"],
  ])("C15 parses %s", (text, expected) => {
    expect(JSON.stringify(parseDashboardJson(text))).toBe(expected);
  });

  it("C15 throws for text that is not JSON", () => {
    expect(() => parseDashboardJson("{12345678901234567890:1}")).toThrow(SyntaxError);
  });
});
