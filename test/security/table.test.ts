import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFileSync(new URL(file, root), "utf8");

type Row = { number: number; name: string; proof: string };
/** Threats start with T, faults with F. */
const rowsOf = (letter: "T" | "F"): Row[] =>
  read("docs/develop/security.md")
    .split("\n")
    .flatMap((line) => {
      const [, name, proof] = /^\| ([TF]\d+) \| [^|]+ \| ([^|]+) \|$/.exec(line) ?? [];
      return name?.startsWith(letter) && proof ? [{ number: Number(name.slice(1)), name, proof }] : [];
    });
const threats = rowsOf("T");
const faults = rowsOf("F");
const rows = [...threats, ...faults];
const filesOf = ({ proof }: Row) =>
  [...proof.matchAll(/`([^`]+\.(?:test|spec)\.tsx?)`/g)].map(([, file]) => file ?? "");

/** Returns a file without its comments: a number in one of those proves nothing. */
const codeOf = (file: string) =>
  read(file)
    .split("\n")
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .join("\n");

/** Former vulnerabilities: their numbers, and the titles of tests by their files. */
const onceThrough = read("docs/develop/security.md")
  .split("\n")
  .flatMap((line) => {
    const [, number, proof] = /^\| (\d+) \| [^|]+ \| ([^|]+) \|$/.exec(line) ?? [];
    return number && proof ? [{ number: Number(number), proof }] : [];
  });

describe("former vulnerabilities in docs/develop/security.md", () => {
  it("is numbered in order", () => {
    expect(onceThrough.length).toBeGreaterThanOrEqual(11);
    expect(onceThrough.map(({ number }) => number)).toEqual(onceThrough.map((_, index) => index + 1));
  });

  it.each(onceThrough)("$number is proven by tests of that title", ({ proof }) => {
    const tests = [...proof.matchAll(/`([^`]+\.test\.ts)`: "([^"]+)"/g)];
    expect(tests.length).toBeGreaterThan(0);
    for (const [, file = "", title = ""] of tests) {
      expect([file, existsSync(new URL(file, root)) && codeOf(file).includes(title)]).toEqual([file, true]);
    }
  });
});

describe("the tables of threats and faults in docs/develop/security.md", () => {
  it("has each row of identity, authorization, outbound addresses, secrets, queries, agent, webhooks, notifications, repositories, apps and platform once, in order", () => {
    const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
    expect(threats.map(({ number }) => number)).toEqual(upTo(1, 111));
    expect(faults.map(({ number }) => number)).toEqual(upTo(1, 19));
  });

  it.each(rows)("$name names its proof, or why it does not apply yet", (row) => {
    expect(filesOf(row).length > 0 || row.proof.startsWith("not yet: ")).toBe(true);
    for (const file of filesOf(row)) {
      expect([file, existsSync(new URL(file, root))]).toEqual([file, true]);
      // A row without proof yet may point to an existing file.
      if (!row.proof.startsWith("not yet: "))
        expect([file, codeOf(file)]).toEqual([file, expect.stringMatching(`["'\`][^"'\`\n]*\\b${row.name}\\b`)]);
    }
  });
});
