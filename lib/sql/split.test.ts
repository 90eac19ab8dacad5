import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitStatements, statementAt } from "./split";

const texts = (text: string, dialect?: Parameters<typeof splitStatements>[1]) =>
  splitStatements(text, dialect).map((statement) => statement.text);

describe("splitting", () => {
  it.each<[string, string, string[]]>([
    ["two statements", "select 1; select 2", ["select 1", "select 2"]],
    ["empty statements", ";; select 1 ;;", ["select 1"]],
    ["only comments", "-- a;\n/* b; */", []],
    ["a semicolon in a string", "select ';', 'it''s;'; x", ["select ';', 'it''s;'", "x"]],
    ["a semicolon in a quoted name", 'select 1 as "a;""b"; x', ['select 1 as "a;""b"', "x"]],
    ["a semicolon in a line comment", "select 1 -- ;\n; x", ["select 1", "x"]],
    ["nested comments", "select /* ; /* ; */ ; */ 1; x", ["select /* ; /* ; */ ; */ 1", "x"]],
    ["dollar quotes", "select $$;$$, $a$;$b$;$a$; x", ["select $$;$$, $a$;$b$;$a$", "x"]],
    ["a dollar placeholder", "select $1; select $2", ["select $1", "select $2"]],
    ["an escape string", "select E'\\';'; x", ["select E'\\';'", "x"]],
    ["an unfinished string", "select 'a; b", ["select 'a; b"]],
  ])("keeps %s apart rightly", (_, text, expected) => expect(texts(text)).toEqual(expected));

  it("knows MySQL's comments, names and strings", () => {
    expect(texts('select `a;b`, "c;\\"d" # ;\n; select 5--3; x', "mysql")).toEqual([
      'select `a;b`, "c;\\"d"',
      "select 5--3",
      "x",
    ]);
  });

  it("keeps the body of a trigger in one piece", () => {
    const trigger = "create trigger t after insert on a begin update b set c = case when 1 then 2 end; select 1; end";
    expect(texts(`${trigger}; select 2`, "sqlite")).toEqual([trigger, "select 2"]);
  });

  it("keeps MySQL's IF inside a procedure's body", () => {
    const procedure = "create procedure p() begin if 1 then select 1; end if; select 2; end";
    expect(texts(`${procedure}; x`, "mysql")).toEqual([procedure, "x"]);
  });

  it("loses no word and ends on every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        for (const { from, to, end, text: part } of splitStatements(text)) {
          expect(text.slice(from, to)).toBe(part);
          expect(end).toBeGreaterThanOrEqual(to);
        }
      }),
    );
  });
});

describe("the statement at a cursor", () => {
  const text = "select 1;\n\n-- second\nselect 2 ; select 3";
  const at = (position: number) => statementAt(text, position)?.text;

  it("is the one that it stands in or right behind", () => {
    expect(at(0)).toBe("select 1");
    expect(at(9)).toBe("select 1");
    expect(at(text.indexOf("select 3") + 3)).toBe("select 3");
    expect(at(text.length)).toBe("select 3");
  });

  it("is the next one from an empty line or its leading comment", () => {
    expect(at(10)).toBe("select 2");
    expect(at(text.indexOf("second"))).toBe("select 2");
  });

  it("is the previous one behind its semicolon on the same line", () => {
    expect(at(text.indexOf("; select 3") + 1)).toBe("select 2");
  });

  it("is the last one behind everything, and none in an empty text", () => {
    expect(statementAt("select 1;\n\n", 11)?.text).toBe("select 1");
    expect(statementAt(" -- nothing", 3)).toBeNull();
  });
});
