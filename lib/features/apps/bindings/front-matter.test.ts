import { describe, expect, it } from "vitest";
import { bindingPath, isBroken, parseBinding, readBindings } from "./front-matter";
import { BINDING_BYTES_MAX, BINDINGS_MAX } from "./limits";

const ID = "65a1b2c3d4e5f60718293a4b";
const parse = (text: string, path = "bindings/sales.sql") => parseBinding(path, Buffer.from(text));
const withMatter = (...lines: string[]) => `---\n${lines.join("\n")}\n---\nselect 1\n`;

describe("a binding's file", () => {
  it("names query, schedule and values", () => {
    const text = withMatter(
      `connectionId: ${ID}`,
      'schedule: "0 6 * * *"',
      "params: [2024-01-01, 3, true, null]",
      "description: Sales of the last year",
    );
    expect(parse(text)).toEqual({
      name: "sales",
      path: "bindings/sales.sql",
      frontMatter: {
        connectionId: ID,
        schedule: "0 6 * * *",
        // A date is kept as text: the database parses it better.
        params: ["2024-01-01", 3, true, null],
        description: "Sales of the last year",
      },
      schedule: { cron: "0 6 * * *", timezone: "UTC" },
      sql: "select 1\n",
    });
  });

  it("may have other line endings, a byte order mark, and dashes in its statement", () => {
    const read = parse(`\uFEFF---\r\nconnectionId: ${ID}\r\n--- \r\nselect 1 -- one\r\n---\r\nfrom t`);
    expect(read).toMatchObject({
      frontMatter: { connectionId: ID },
      schedule: null,
      sql: "select 1 -- one\r\n---\r\nfrom t",
    });
  });

  it("uses its time zone", () => {
    const read = parse(withMatter(`connectionId: ${ID}`, "schedule: {cron: '0 9 * * MON', timezone: europe/vienna}"));
    expect(read).toMatchObject({ schedule: { cron: "0 9 * * MON", timezone: "Europe/Vienna" } });
  });

  it.each([
    "650000000000000000000012",
    "65000000000000000000e012",
    "000000000000000000000012",
    "0x0000000000000000000012",
  ])("keeps the connection's ID as written: %s", (id) => {
    const read = parse(withMatter(`connectionId: ${id}`));
    if (/^[0-9a-f]+$/.test(id)) expect(read).toMatchObject({ frontMatter: { connectionId: id } });
    else expect(isBroken(read)).toBe(true);
  });

  it.each([
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["+9007199254740993", "9007199254740993"],
    ["18446744073709551615", "18446744073709551615"],
    ["0.12345678901234567890", "0.12345678901234567890"],
    [".12345678901234567890", "0.12345678901234567890"],
    ["12345678901234567890.5", "12345678901234567890.5"],
    ["0x20000000000001", "9007199254740993"],
    ["1.00000000000000000001e3", "1.00000000000000000001e3"],
    ["9007199254740991", "9007199254740991"],
    ["1.50", "1.5"],
    ["-7", "-7"],
  ])("C15 keeps every digit of the number %s in params", (written, expected) => {
    for (const params of [`[${written}]`, `{n: ${written}}`]) {
      const read = parse(withMatter(`connectionId: ${ID}`, `params: ${params}`));
      expect(JSON.stringify(read.frontMatter?.params)).toBe(
        params.startsWith("[") ? `[${expected}]` : `{"n":${expected}}`,
      );
    }
  });

  it("C15 keeps texts in params that look like numbers", () => {
    const read = parse(withMatter(`connectionId: ${ID}`, "params: ['9007199254740993', 9007199254740993 a]"));
    expect(read.frontMatter?.params).toEqual(["9007199254740993", "9007199254740993 a"]);
  });

  it.each<[string, string, RegExp, number | null]>([
    ["nothing", "", /front matter/, 1],
    ["a statement alone", "select 1", /front matter/, 1],
    ["dashes that do not end", `---\nconnectionId: ${ID}\nselect 1`, /front matter/, 1],
    ["an empty front matter", "---\n---\nselect 1", /connectionId/, 2],
    ["a list", withMatter("- one"), /connectionId/, 2],
    ["a text", withMatter("hello"), /connectionId/, 2],
    ["no connection", withMatter("description: x"), /connectionId/, null],
    ["an id that is none", withMatter("connectionId: shop"), /24 hexadecimal/, 2],
    ["an unknown key", withMatter(`connectionId: ${ID}`, "conection: x"), /“conection” is unknown/, 3],
    ["a key twice", withMatter(`connectionId: ${ID}`, `connectionId: ${ID}`), /Invalid YAML/, 3],
    ["what is no YAML", withMatter(`connectionId: ${ID}`, "params: [1, 2"), /Invalid YAML/, null],
    ["tabs", withMatter(`connectionId: ${ID}`, "params:", "\ta: 1"), /Invalid YAML/, null],
    ["a tag", withMatter(`connectionId: ${ID}`, "params: !!js/function 'x'"), /Invalid YAML/, null],
    ["an alias", withMatter("connectionId: &id 65a1b2c3d4e5f60718293a4b", "description: *id"), /anchors/, null],
    ["a schedule that never comes", withMatter(`connectionId: ${ID}`, "schedule: '0 0 31 2 *'"), /never runs/, null],
    ["a schedule of six fields", withMatter(`connectionId: ${ID}`, "schedule: '* * * * * *'"), /five fields/, null],
    [
      "a zone that is none",
      withMatter(`connectionId: ${ID}`, "schedule: {cron: '0 0 * * *', timezone: Mars}"),
      /time zone/,
      null,
    ],
    ["a number as schedule", withMatter(`connectionId: ${ID}`, "schedule: 5"), /cron expression/, 3],
    ["values within values", withMatter(`connectionId: ${ID}`, "params: {a: {b: 1}}"), /params/, 3],
    ["no statement", `---\nconnectionId: ${ID}\n---\n  \n`, /statement/, null],
    ["a null character", withMatter(`connectionId: ${ID}`).replace("1", "\0"), /NUL character/, null],
    [
      "too much before the statement",
      withMatter(`connectionId: ${ID}`, `description: ${"x".repeat(17_000)}`),
      /16 KiB/,
      null,
    ],
    ["too long a description", withMatter(`connectionId: ${ID}`, `description: ${"x".repeat(2_001)}`), /2,000/, 3],
  ])("with %s is invalid, with instructions", (_, text, words, line) => {
    const read = parse(text);
    expect(read).toMatchObject({ name: "sales", frontMatter: null, error: expect.stringMatching(words) });
    if (line !== null) expect(read).toMatchObject({ line });
  });

  it("that would expand without end is read as text only", () => {
    const lines = ["params: &a [1,1,1,1,1,1,1,1,1]"];
    for (let n = 0; n < 9; n += 1) {
      const [from, to] = ["abcdefghij"[n], "abcdefghij"[n + 1]];
      lines.push(`x${n}: &${to} [*${from},*${from},*${from},*${from},*${from},*${from},*${from},*${from}]`);
    }
    expect(parse(withMatter(`connectionId: ${ID}`, ...lines))).toMatchObject({
      error: expect.stringMatching(/anchors/),
    });
  });

  it("is text of limited length", () => {
    expect(parseBinding("bindings/a.sql", Buffer.from([0xff, 0xfe, 0x2d]))).toMatchObject({
      error: expect.stringMatching(/UTF-8/),
    });
    const long = Buffer.alloc(BINDING_BYTES_MAX + 1, withMatter(`connectionId: ${ID}`));
    expect(parseBinding("bindings/a.sql", long)).toMatchObject({ error: expect.stringMatching(/128 KiB/) });
    expect(parseBinding("bindings/a.sql", null)).toMatchObject({ error: expect.stringMatching(/128 KiB/) });
  });
});

describe("the bindings of an app", () => {
  const good = Buffer.from(withMatter(`connectionId: ${ID}`));

  it("are the named files directly in bindings/, the others with a reason", () => {
    const names = [
      "bindings/b.sql",
      "bindings/a.sql",
      "bindings/deep/c.sql",
      "bindings/ä.sql",
      "bindings/.sql",
      "src/d.sql",
      "bindings/notes.md",
    ];
    const read = readBindings(new Map(names.map((name) => [name, good])));
    expect(read.map((each) => [each.name, isBroken(each)])).toEqual([
      ["", true],
      ["a", false],
      ["b", false],
      ["deep/c", true],
      ["ä", true],
    ]);
  });

  it(`are at most ${BINDINGS_MAX}`, () => {
    const names = Array.from({ length: BINDINGS_MAX + 1 }, (_, n) => bindingPath(`b${String(n).padStart(2, "0")}`));
    const read = readBindings(new Map(names.map((name) => [name, good])));
    expect(read.filter(isBroken)).toMatchObject([
      { name: "b20", error: expect.stringMatching(/Limit of 20 bindings/) },
    ]);
  });
});
