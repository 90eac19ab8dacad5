import { expect, test } from "vitest";
import { fastestMs } from "@/test/processor-time";
import { SHORT_CHARS_MAX } from "../../shared/statements/check";
import { findShellError } from "./syntax";

/** Maximum processor time of the longest text that a push checks in the server's thread, in ms. */
const TURN_MS = 50;
const fill = (piece: string) => piece.repeat(Math.floor(SHORT_CHARS_MAX / piece.length));

test.each(
  Object.entries({
    statements: fill("db.a.find({})\n\n"),
    "short statements": fill("db.a\n\n"),
    brackets: `db.a.find(${fill("[")}`,
    objects: `db.a.find(${fill("{a:")}`,
    chains: `db.a${fill(".b()")}`,
    "comments without an end": fill("/*"),
    quotes: fill("'"),
    escapes: `db.a.find("${fill("\\u0061")}`,
    "regular expressions": fill("/a/ "),
    numbers: `db.a.find([${fill("1e9,")}`,
    digits: `db.a.find(${fill("9")}`,
    minus: `db.a.find(${fill("-")}`,
  }),
)("reads a text of 16 KiB in a few milliseconds: %s", (_, text) => {
  const read = () => findShellError(text.slice(0, SHORT_CHARS_MAX));
  expect(fastestMs(TURN_MS, read)).toBeLessThan(TURN_MS);
});
