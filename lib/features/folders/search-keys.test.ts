import { describe, expect, it } from "vitest";
import { rankPath, searchKeysOf, textKeyPattern, textKeysOf, wantedKeysOf, wordsOf } from "./search-keys";

describe("search keys", () => {
  it("are the beginnings of all words, without case and diacritics", () => {
    expect(searchKeysOf("Über/Café-9")).toEqual([
      "=cafe 9",
      "^c",
      "^ca",
      "^caf",
      "^cafe",
      "c",
      "ca",
      "caf",
      "cafe",
      "9",
      "u",
      "ub",
      "ube",
      "uber",
    ]);
  });

  it("hold every key of a search that a path matches", () => {
    const paths = ["Finance/Weekly revenue", "straße/ORDERS_2024", "日本/売上", `${"x".repeat(40)} y`, "a/b/c/😀 d"];
    const searches = ["weekly", "weekly rev", "fin week", "STRASSE ord", "2024", "売", "x".repeat(30), "y", "d"];
    for (const path of paths) {
      for (const search of searches.filter((each) => (rankPath(path, wordsOf(each)) ?? 9) < 4)) {
        const keys = new Set(searchKeysOf(path));
        const prefixes = wantedKeysOf(wordsOf(search))
          .flat()
          .filter((key) => !/^[=^]/.test(key));
        expect([path, search, prefixes.every((key) => keys.has(key))]).toEqual([path, search, true]);
      }
    }
  });

  it("are bounded for the longest paths", () => {
    const path = Array.from({ length: 9 }, (_, n) => `${n} ${"ab cd ef ".repeat(12)}`).join("/");
    expect(searchKeysOf(path).length).toBeLessThanOrEqual(400);
    const words = Array.from({ length: 60 }, (_, n) => `${"abcdefghijklmnop".slice(n % 16)}${n}`);
    expect(searchKeysOf(words.join(" ")).length).toBeLessThanOrEqual(400);
  });

  it("of a text are its words of two characters or more, once each, bounded", () => {
    expect(textKeysOf("select a.Über_id, b FROM über -- ÜBER 12")).toEqual(["select", "uber", "id", "from", "12"]);
    expect(textKeysOf("x".repeat(2 ** 20))).toEqual(["x".repeat(16)]);
    expect(textKeysOf(Array.from({ length: 5_000 }, (_, n) => `w${n}`).join(" "))).toHaveLength(2_000);
  });

  it("of a text begin with every word of a search that begins one of its words", () => {
    const keys = textKeysOf("select straße, 売上高, café, abcdefghijklmnopqrstuvw from orders_2024");
    for (const search of ["STRASSE", "売上", "cafe", "abcdefghijklmnopqrst", "ord", "2024"]) {
      const pattern = new RegExp(textKeyPattern(wordsOf(search)[0] ?? "").$regex, "u");
      expect([search, keys.some((key) => pattern.test(key))]).toEqual([search, true]);
    }
  });

  it("rank the whole name, its beginning, its words, folders, and last a part of a word", () => {
    const paths = [
      "x/revenues",
      "revenue/x",
      "x/weekly revenue",
      "x/revenue by day",
      "x/Revenue",
      "x/prerevenue",
      "x/y",
    ];
    const ranks = paths.map((path) => [path, rankPath(path, wordsOf("revenue"))]);
    expect(ranks).toEqual([
      ["x/revenues", 1],
      ["revenue/x", 3],
      ["x/weekly revenue", 2],
      ["x/revenue by day", 1],
      ["x/Revenue", 0],
      ["x/prerevenue", 4],
      ["x/y", null],
    ]);
  });
});
