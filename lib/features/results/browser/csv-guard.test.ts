import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CsvReader } from "@/lib/features/results/browser/csv-guard";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Reads a text in chunks of the given size. The second column contains numbers. */
function read(text: string, isGuarding: boolean, size = text.length || 1): { text: string; records: number } {
  const csv = new CsvReader((column) => column !== 1, isGuarding);
  const bytes = encoder.encode(text);
  const out: number[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(...csv.read(bytes.slice(at, at + size)));
  return { text: decoder.decode(Uint8Array.from(out)), records: csv.records };
}

describe("CsvReader", () => {
  it("prefixes an apostrophe to text that a spreadsheet would run, also inside quotes (T60)", () => {
    const rows = 'a,b\r\n=cmd(),-5\r\n+1,+1\r\n-x,\r\n@y,1\r\n"=1,2",1\r\n"say ""=1""",1\r\n';
    expect(read(rows, true).text).toBe(
      'a,b\r\n\'=cmd(),-5\r\n\'+1,+1\r\n\'-x,\r\n\'@y,1\r\n"\'=1,2",1\r\n"say ""=1""",1\r\n',
    );
  });

  it("guards column names too", () => {
    expect(read("=a,=b\r\n", true).text).toBe("'=a,'=b\r\n");
  });

  it("changes nothing without the guard", () => {
    const rows = '=a,-1\r\n"=1\r\n",2\r\n';
    expect(read(rows, false)).toEqual({ text: rows, records: 2 });
  });

  it("counts records, not line breaks inside values", () => {
    expect(read('a,b\r\n"x\r\ny",1\r\n"""",2\r\n', true).records).toBe(3);
  });

  it("reads the same however the chunks are split", () => {
    const rows = 'a,b\r\n"=1 ""q"", ü",-1\r\n=x,2\r\n"","3"\r\n"@"\r\n';
    const whole = read(rows, true);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (size) => {
        expect(read(rows, true, size)).toEqual(whole);
      }),
    );
  });
});
