import { describe, expect, test } from "vitest";
import { readMysqlText } from "./reading";

const parts = (text: string) =>
  readMysqlText(text).tokens.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);
const doubt = (text: string) => readMysqlText(text).doubt;

describe("words, names and numbers", () => {
  test.each([
    ["a.select", ["name a", "symbol .", "name select"]],
    ["select.a", ["name select", "symbol .", "name a"]],
    ["from.`a`", ["word from", "symbol .", "name `a`"]],
    ["a . select", ["word a", "symbol .", "word select"]],
    ["1e5union", ["number 1e5", "word union"]],
    ["1.union", ["number 1.", "word union"]],
    ["1union", ["name 1union"]],
    ["0x41union", ["name 0x41union"]],
    ["0x41 0X41 0b1 0b12", ["number 0x41", "name 0X41", "number 0b1", "name 0b12"]],
    ["t.1e5 .1e5", ["name t", "symbol .", "name 1e5", "number .1e5"]],
    ["a\u00a0b", ["word a\u00a0b"]],
    [
      "@a.b-@`a-b`@@global.x",
      ["variable @a.b", "symbol -", "variable @`a-b`", "variable @@global", "symbol .", "name x"],
    ],
    ["``` `'a''\\''\"b\"", ["name ``` `", "string 'a''\\''", 'string "b"']],
    ["n'a'x'41'", ["word n", "string 'a'", "word x", "string '41'"]],
  ])("%s", (text, expected) => expect(parts(text)).toEqual(expected));

  test("recognises a quoted name by its content", () => {
    expect(readMysqlText("`a``b`").tokens[0]).toMatchObject({ kind: "name", text: "a`b" });
  });
});

describe("T50 comments", () => {
  test.each([
    ["a--b", ["word a", "symbol -", "symbol -", "word b"]],
    ["a--\u00a0b", ["word a", "symbol -", "symbol -", "word \u00a0b"]],
    ["a-- b\nc", ["word a", "word c"]],
    ["a--\nb", ["word a", "word b"]],
    ["a--\u0001b\nc", ["word a", "word c"]],
    ["a--", ["word a"]],
    ["a#b\u2028c\nd", ["word a", "word d"]],
    ["a/*/b*/c", ["word a", "word c"]],
    ["a/*/*b*/c", ["word a", "word c"]],
  ])("%j", (text, expected) => expect(parts(text)).toEqual(expected));
});

describe("T50 ambiguous text", () => {
  test.each([
    ...[
      "--\u00a0",
      "--\u3000",
      "\\N",
      "a\u0001",
      "a\u007f",
      "\0",
      "'\0'",
      "-- \0",
      "a\u00a0b",
      "a\u200b",
      "$a",
      "$$a$$",
    ],
    ...[
      "/*! a */",
      "/*M! a */",
      "/*m!*/",
      "/*!80000 a */",
      "x'4'",
      "x'a\\''",
      "b'2'",
      "1.e",
      "1.5ex",
      ".5e",
      "@\u00e9",
      "@a\u00a0",
    ],
    ...["/*+ a('b') */", "/*+ a(`b`) */", "/*+ /* */"],
  ])("%j", (text) => expect(doubt(text)).toMatchObject({ isOpen: false }));

  test.each(["'a", '"a', "`a", "'a\\'", "/* a", "@'a", "@`a"])("%s is unterminated", (text) => {
    expect(doubt(text)).toMatchObject({ isOpen: true });
  });

  test.each([
    ...[
      "-- \u00a0",
      "# \u0001",
      "/* \u00a0 */",
      "'\u00a0\u0001'",
      "`\u00a0`",
      "\u00e9t\u00e9",
      "a$b",
      "5--3",
      "1e5",
      "1.5e-3",
    ],
    ...["/*+ index(a b) */", "x'41'", "b'01'", "@a$b"],
  ])("%j is not", (text) => expect(doubt(text)).toBeNull());
});
