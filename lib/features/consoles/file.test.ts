import { describe, expect, it } from "vitest";
import { contentOfFile, formatConsoleFile, parseConsoleFile } from "./file";

const SCHEDULE = { cron: "0 6 * * *", timezone: "Europe/Vienna", enabled: true };

describe("a console's file", () => {
  it("has its settings in a leading comment, one in each line", () => {
    const settings = { connection: "Warehouse", schedule: SCHEDULE, chart: { mark: "bar" } };
    expect(formatConsoleFile({ settings, content: "select 1\n" })).toBe(
      [
        "/* ---",
        "connection: Warehouse",
        "schedule:",
        "  cron: 0 6 * * *",
        "  timezone: Europe/Vienna",
        "  enabled: true",
        "chart:",
        "  mark: bar",
        "--- */",
        "select 1",
        "",
      ].join("\n"),
    );
  });

  it("keeps the widest question below the limit of front matter", () => {
    const filters = Array.from({ length: 11 }, () => ({ values: Array(500).fill(1) }));
    const deep = (levels: number): Record<string, unknown> =>
      levels === 0 ? { list: Array(5_000).fill(1) } : { a: deep(levels - 1) };
    for (const question of [{ filters }, deep(17)]) {
      const file = { settings: { question, chart: deep(17) }, content: "select 1\n" };
      const text = formatConsoleFile(file);
      expect(text.length).toBeLessThan(96 * 1024);
      expect(parseConsoleFile(text)).toEqual(file);
    }
    const tooDeep = `/* ---\nquestion: ${"{a: ".repeat(21)}1${"}".repeat(21)}\n--- */\nselect 1\n`;
    expect(parseConsoleFile(tooDeep)).toMatchObject({ error: "question: At most 20 levels." });
  });

  it("has description, default values and conditions among its settings", () => {
    const settings = {
      description: "Orders by country: open ones only",
      variables: { country: "AT", limit: 10, paid: true, since: { type: "date" as const, value: "2026-05-31" } },
      choices: { country: { consoleId: "0123456789abcdef01234567", column: "code" } },
      schedule: SCHEDULE,
      expect: { minRows: 1, maxRows: 1000 },
    };
    const text = formatConsoleFile({ settings, content: "select 1\n" });
    expect(text.split("\n").slice(1, 9)).toEqual([
      'description: "Orders by country: open ones only"',
      "variables:",
      "  country: AT",
      "  limit: 10",
      "  paid: true",
      "  since:",
      "    type: date",
      "    value: 2026-05-31",
    ]);
    expect(parseConsoleFile(text)).toEqual({ settings, content: "select 1\n" });
  });

  it("without settings is its text, byte for byte", () => {
    for (const content of ["", "select 1", "/* note */\nselect 1\n", "--- \n", "\uFEFFselect 1"]) {
      expect(formatConsoleFile({ settings: { connection: null, schedule: null }, content })).toBe(content);
      expect(parseConsoleFile(content)).toEqual({ settings: {}, content });
    }
  });

  it.each([
    "select 1",
    "",
    "\n\nselect 1",
    "\r\nselect 1\r\n",
    "/* ---\nconnection: other\n--- */\nselect 1",
    "/* ---\nselect 1",
    "/*---\n---*/",
    "--- */\nselect 1",
    "select '🙂\u0000\u2028'",
  ])("keeps the text %j", (content) => {
    for (const settings of [{}, { connection: "Shop" }, { schedule: SCHEDULE }]) {
      const file = parseConsoleFile(formatConsoleFile({ settings, content }));
      expect(file).toEqual({ settings, content });
    }
  });

  it.each([
    "a */ b",
    "---",
    "--- */",
    "\n--- */\n",
    "yes",
    "12",
    "null",
    "a: b # c",
    "'\"",
    "Ä 🙂",
    " padded ",
    "*alias",
    "- dash",
  ])("keeps the connection's name %j, and its comment ends where it should", (connection) => {
    const text = formatConsoleFile({ settings: { connection, schedule: SCHEDULE }, content: "select 1" });
    expect(parseConsoleFile(text)).toEqual({ settings: { connection, schedule: SCHEDULE }, content: "select 1" });
    expect(text.slice(0, text.indexOf("*/"))).toContain("Europe/Vienna");
  });

  it("may have been written by hand, with any line ends and defaults", () => {
    const text = "/*---\r\nconnection: Shop\r\nschedule: {cron: '0 9 * * MON'}\r\n---*/\r\nselect 1\r\n";
    expect(parseConsoleFile(text)).toEqual({
      settings: { connection: "Shop", schedule: { cron: "0 9 * * MON", timezone: "UTC", enabled: true } },
      content: "select 1\r\n",
    });
  });

  const deep = (levels: number) => `chart: ${"[".repeat(levels)}${"]".repeat(levels)}`;
  it.each<[string, string, RegExp, number | null]>([
    ["no end", "/* ---\nconnection: Shop\nselect 1", /does not end/, 1],
    [
      "an unknown key",
      "/* ---\nconnection: Shop\nconection: x\n--- */\n",
      /“conection” is unknown. Allowed: connection/,
      3,
    ],
    ["a list", "/* ---\n- one\n--- */\n", /connection: <name>/, 2],
    ["what is no YAML", "/* ---\nchart: {\n--- */\n", /Invalid YAML/, null],
    ["an alias", "/* ---\nchart: &a {b: 1}\nconnection: *a\n--- */\n", /aliases are not supported/, null],
    ["a schedule of six fields", "/* ---\nschedule: {cron: '* * * * * *'}\n--- */\n", /schedule: .*five fields/, null],
    ["an unknown time zone", "/* ---\nschedule: {cron: '0 6 * * *', timezone: Mars/One}\n--- */\n", /schedule: /, null],
    [
      "a chart that may not run",
      "/* ---\nchart: {mark: bar, transform: [{calculate: 'sequence(0,1e9)', as: a}]}\n--- */\n",
      /chart/,
      null,
    ],
    [
      "a default without a value",
      "/* ---\nvariables:\n  a: 1\n  b:\n--- */\n",
      /variables\.b: Use a text, a number/,
      4,
    ],
    ["a list as a default", "/* ---\nvariables:\n  a: [1]\n--- */\n", /variables\.a: Use a text/, 3],
    ["a name that is none", "/* ---\nvariables:\n  a-b: 1\n--- */\n", /variables\.a-b: Variable names/, 3],
    ["a date of no calendar", "/* ---\nvariables: {a: {type: date, value: 2026-02-30}}\n--- */\n", /variables\.a/, 2],
    ["a number that is rounded", "/* ---\nvariables: {a: 9007199254740993}\n--- */\n", /too many digits/, 2],
    ["values over 16 KiB", `/* ---\nvariables: {a: ${"x".repeat(17_000)}}\n--- */\n`, /16 KiB/, 2],
    ["a description over 1,000 characters", `/* ---\ndescription: ${"x".repeat(1001)}\n--- */\n`, /1000 characters/, 2],
    [
      "an unknown condition",
      "/* ---\nexpect:\n  minRow: 1\n--- */\n",
      /“expect\.minRow” is unknown. Allowed: minRows, maxRows/,
      3,
    ],
    ["a negative condition", "/* ---\nexpect:\n  minRows: -1\n--- */\n", /expect\.minRows: Must be at least 0/, 3],
    [
      "conditions that exclude each other",
      "/* ---\nexpect: {minRows: 2, maxRows: 1}\n--- */\n",
      /expect\.maxRows: The maximum must not be less/,
      2,
    ],
    ["ten thousand levels", `/* ---\n${deep(10_000)}\n--- */\n`, /./, null],
    ["too much", `/* ---\nconnection: ${"x".repeat(200_000)}\n--- */\n`, /192 KiB/, 1],
  ])("with %s is invalid, with the reason and its line", (_, text, reason, line) => {
    const file = parseConsoleFile(text);
    expect(file).toMatchObject({ error: expect.stringMatching(reason) });
    if (line !== null) expect(file).toMatchObject({ line });
    expect(contentOfFile(text)).toBe(text);
  });
});
