import { expect, test } from "vitest";
import { copyName, folderPlaceOf, parseName, placeOf } from "./names";

const ENDINGS = [".sql", ".mongodb"];

test.each([
  [null, "report", ".sql", "report", "consoles/report.sql"],
  [null, "report.sql", ".sql", "report", "consoles/report.sql"],
  [null, "report.SQL", ".sql", "report", "consoles/report.sql"],
  [null, "report.sql", ".mongodb", "report.sql", "consoles/report.sql.mongodb"],
  [null, ".sql", ".sql", ".sql", "consoles/.sql.sql"],
  ["a/b", "c", ".mongodb", "a/b/c", "consoles/a/b/c.mongodb"],
] as const)("in %j, %j with %s stands at %s", (folder, name, ending, path, file) => {
  expect(placeOf("consoles", folder, name, ending)).toMatchObject({ path, file });
});

test("has one key for the forms of a name, also of a folder and a file", () => {
  const { key } = placeOf("consoles", "A", "caf\u00e9", ".sql");
  for (const same of ["cafe\u0301", "CAF\u00c9", "caf\uff45\u0301", "caf\u00e9.sql"]) {
    expect(placeOf("consoles", "a", same, ".sql").key).toBe(key);
  }
  expect(folderPlaceOf("consoles", "a", "CAF\u00c9.sql").key).toBe(key);
  expect(placeOf("consoles", "a", "cafe", ".sql").key).not.toBe(key);
});

test("stores a name composed, and rejects it with the broken rule", () => {
  expect(parseName("e\u0301")).toBe("\u00e9");
  for (const bad of ["a/b", "..", "a\0", "x".repeat(201), " a", "git~1"]) {
    expect(() => parseName(bad)).toThrow(expect.objectContaining({ kind: "invalid_request" }));
  }
});

test.each([
  "aux", "CON", "nul.sql", "Prn", "com1", "LPT9.tar.gz", "COM¹", "conout$", "aux .sql", "ａｕｘ", "a:b", "a?b", "a*b", "a|b", "<a>", 'say "hi"',
])("C21 rejects the name %j, which Git on Windows can't check out", (name) => {
  expect(() => parseName(name)).toThrow(expect.objectContaining({ kind: "invalid_request" }));
  expect(parseName(name, name)).toBe(name.normalize("NFC"));
}); // biome-ignore format: a list to be read at a glance

test.each(["auxiliary", "console", "com10", "com", "null", "a.con", "nul-1", "lpt", "a b", "ä (1) & co, 100%"])(
  "C21 accepts the name %j",
  (name) => expect(parseName(name)).toBe(name),
);

test.each([
  ["a:b", "a-b copy"],
  ["what?.sql", "what- copy.sql"],
  ["aux", "aux_ copy"],
  ["nul.tar", "nul_.tar copy"],
  ["con.sql", "con_ copy.sql"],
])("C21 copies %j, which predates the rule, as %j", (name, copy) => {
  expect(copyName(name, ENDINGS, () => true)).toBe(copy);
  expect(parseName(copy)).toBe(copy);
});

test("C21 keeps a name that predates the rule, in any Unicode form", () => {
  const old = "caf\u00e9: today";
  expect(parseName(old, old)).toBe(old);
  expect(parseName("cafe\u0301: today", old)).toBe(old);
  for (const other of ["caf\u00e9: Today", "caf\u00e9: today 2", "caf\u00e9:"]) {
    expect(() => parseName(other, old)).toThrow(expect.objectContaining({ kind: "invalid_request" }));
  }
});

test("numbers copies from the first free number, for any name", () => {
  const taken = new Set<string>();
  const next = (name: string) => {
    const copy = copyName(name, ENDINGS, (candidate) => !taken.has(candidate));
    taken.add(copy);
    return copy;
  };
  expect([next("a.sql"), next("a.sql"), next("a copy.sql"), next("a copy 2.sql")]).toEqual([
    "a copy.sql",
    "a copy 2.sql",
    "a copy 3.sql",
    "a copy 4.sql",
  ]);
  expect(Buffer.byteLength(next("é".repeat(100)))).toBeLessThan(200 - ".mongodb".length);
});
