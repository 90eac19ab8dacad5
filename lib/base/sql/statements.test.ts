// @module-tag heavy
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { SQL_DIALECTS, type SqlDialect } from "./dialects/registry";
import { SqlScript, splitStatements } from "./statements";

const texts = (text: string, dialect: SqlDialect = "duckdb") => splitStatements(text, dialect).map((each) => each.text);

describe("splitting", () => {
  it.each<[string, string, string[]]>([
    ["two statements", "select 1; select 2", ["select 1", "select 2"]],
    ["empty statements", ";; select 1 ;;", ["select 1"]],
    ["only comments", "-- a;\n/* b; */", []],
    [
      "comments and blank space around statements",
      "-- a\nselect 1;\n\n/* b */ select 2 -- c\n;",
      ["select 1", "select 2"],
    ],
    ["a semicolon in a string", "select ';', 'it''s;'; x", ["select ';', 'it''s;'", "x"]],
    ["a semicolon in a quoted name", 'select 1 as "a;""b"; x', ['select 1 as "a;""b"', "x"]],
    ["a semicolon in a line comment", "select 1 -- ;\n; x", ["select 1", "x"]],
    ["nested comments", "select /* ; /* ; */ ; */ 1; x", ["select /* ; /* ; */ ; */ 1", "x"]],
    ["dollar quotes", "select $$;$$, $a$;$b$;$a$; x", ["select $$;$$, $a$;$b$;$a$", "x"]],
    ["a dollar placeholder", "select $1; select $2", ["select $1", "select $2"]],
    ["an escape string", "select E'\\';'; x", ["select E'\\';'", "x"]],
    ["an unfinished string", "select 'a; b", ["select 'a; b"]],
  ])("keeps %s apart", (_, text, expected) => expect(texts(text)).toEqual(expected));

  it("supports MySQL's comments, names and strings", () => {
    expect(texts('select `a;b`, "c;\\"d" # ;\n; select 5--3; x', "mysql")).toEqual([
      'select `a;b`, "c;\\"d"',
      "select 5--3",
      "x",
    ]);
  });

  it.each<[SqlDialect, string]>([
    ["mysql", "select 'it\\'s; x'"],
    ["mysql", "select 1 # a; b\n+ 1"],
    ["mysql", "/*!40101 set names utf8; */"],
    ["sqlite", "select 1 as [a;b]"],
    ["sqlite", "select 'a\\'"],
    ["postgres", "select /* a; /* b; */ c; */ 1"],
    ["postgres", "select e'it\\'s; x', U&'a;b', $q$ a; $q$"],
    ["clickhouse", "select 'it\\'s; x', `a;\\`b` // c; d\n + 1"],
    ["trino", "create function f() returns int language python as $$ a; b $$"],
  ])("of %s keeps in one piece: %s", (dialect, text) => {
    expect(texts(`${text}; select 2`, dialect)).toEqual([text, "select 2"]);
  });

  it("sends a hint before its statement, and no other comments", () => {
    expect(texts("/* a */ /*+ SeqScan(b) */ -- c\nselect 1; /*+ d */; select 2", "postgres")).toEqual([
      "/*+ SeqScan(b) */ -- c\nselect 1",
      "select 2",
    ]);
  });

  it("loses no word and ends on every text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.constantFrom(...SQL_DIALECTS), (text, dialect) => {
        for (const { from, to, end, text: part } of splitStatements(text, dialect)) {
          expect(text.slice(from, to)).toBe(part);
          expect(end).toBeGreaterThanOrEqual(to);
        }
      }),
    );
  });
});

describe("bodies", () => {
  it("keeps the body of a trigger in one piece", () => {
    const trigger = "create trigger t after insert on a begin update b set c = case when 1 then 2 end; select 1; end";
    expect(texts(`${trigger}; select 2`, "sqlite")).toEqual([trigger, "select 2"]);
  });

  it("keeps MySQL's IF inside a procedure's body", () => {
    const procedure = "create procedure p() begin if 1 then select 1; end if; select 2; end";
    expect(texts(`${procedure}; x`, "mysql")).toEqual([procedure, "x"]);
  });

  it.each<[SqlDialect, string]>([
    ["sqlite", "create temp trigger t before delete on a when old.b > 1 begin select case when 1 then 2 end; end"],
    ["sqlite", "explain query plan create trigger if not exists t after insert on a begin select end from b; end"],
    [
      "postgres",
      "create or replace function f() returns int begin atomic select 1; select case when true then 2 end; end",
    ],
    ["postgres", "create procedure p() begin atomic insert into a values (1) returning a.end; end"],
    ["postgres", "create rule r as on insert to a do also (insert into b values (1); insert into c values (2))"],
    ["mysql", "create procedure p() if 1 then select 1; else if 2 then select 2; end if; end if"],
    ["mysql", "create procedure p() begin select if(1, 2, 3), repeat('a', 2), case when 1 then if(1, 2, 3) end; end"],
    ["mysql", "create procedure p() begin case 1 when 1 then select 1; else begin end; end case; select 2; end"],
    [
      "mysql",
      "create procedure p() a: begin b: while 1 do leave b; end while b; repeat set @a = 1; until 1 end repeat; end a",
    ],
    ["mysql", "create procedure p() begin declare exit handler for not found begin select 1; end; select 2; end"],
    [
      "mysql",
      "create definer = `a`@`%` procedure p(in a int, out b varchar(3)) comment 'x' begin loop select 1; end loop; end",
    ],
    [
      "mysql",
      "create definer=root@localhost trigger t before insert on a for each row follows b begin set new.c = 1; end",
    ],
    ["mysql", "create event e on schedule every 1 day do begin delete from a; delete from b; end"],
    ["mysql", "create function f(a int) returns varchar(9) character set utf8mb4 begin return 'a'; end"],
    ["mysql", "begin not atomic declare a int default 1; select a; end"],
    [
      "trino",
      "create function f(a int) returns int begin declare b int default 1; if a > 1 then set b = 2; end if; return b; end",
    ],
    [
      "trino",
      "with function f() returns int begin return 1; end, function g() returns int begin return 2; end select f() + g()",
    ],
  ])("of %s stay in one piece: %s", (dialect, text) => {
    expect(texts(`${text};\nselect 1; ${text}`, dialect)).toEqual([text, "select 1", text]);
  });

  it.each<[SqlDialect, string, string]>([
    ["mysql", "begin", "commit"],
    ["sqlite", "begin", "end"],
    ["postgres", "begin", "select case when true then 1 end"],
    ["postgres", "create function f() returns int language sql as 'select 1; select 2'", "begin"],
    ["mysql", "create function f() returns int return if(1, 2, 3)", "select 1"],
    ["mysql", "create function f() returns set('a', 'b') return case when 1 then repeat('a', 1) end", "select 1"],
    ["mysql", "create trigger t after insert on a for each row set @b = if(new.c, 1, 2)", "select 1"],
    ["mysql", "create table if not exists a (`if` int, b int)", "select 1"],
    ["mysql", "drop procedure if exists p", "create view v as select 1 as function"],
    ["sqlite", "create trigger t after insert on a", "select 1"],
    ["trino", "with a as (select 1) select * from a", "select 1"],
    ["trino", "create function f() returns int return case when true then 1 end", "select 1"],
  ])("of %s are not assumed: %s", (dialect, one, other) => {
    expect(texts(`${one}; ${other};`, dialect)).toEqual([one, other]);
  });
});

describe("MySQL's DELIMITER lines", () => {
  const script = [
    "drop procedure if exists p;",
    "DELIMITER //",
    "create procedure p() begin select '//'; -- //",
    "select 1; end//",
    "select 2 //",
    "delimiter ;",
    "select 3; select 4",
  ].join("\n");

  it("are read as by its clients, and never sent", () => {
    expect(texts(script, "mysql")).toEqual([
      "drop procedure if exists p",
      "create procedure p() begin select '//'; -- //\nselect 1; end",
      "select 2",
      "select 3",
      "select 4",
    ]);
    expect(texts("delimiter $$\nselect 1; select 2$$ select 3; END$$\ndelimiter ;;\nx;y;;z", "mysql")).toEqual([
      "select 1; select 2",
      "select 3; END",
      "x;y",
      "z",
    ]);
  });

  it("apply to a part of the text, too", () => {
    const from = script.indexOf("create procedure");
    const parts = SqlScript.of(script, "mysql").within(from, script.indexOf("delimiter ;"));
    expect(parts.map(({ text }) => text)).toEqual([
      "create procedure p() begin select '//'; -- //\nselect 1; end",
      "select 2",
    ]);
    expect(parts.every((part) => script.slice(part.from, part.to) === part.text)).toBe(true);
  });

  it("are words in other databases", () => {
    expect(texts("delimiter //\nselect 1; select 2", "postgres")).toHaveLength(2);
  });
});

describe("the statement at a cursor", () => {
  const sql = "-- note\nselect 1;\n\nselect 2; select 3;\n-- tail\n";
  const at = (position: number) => SqlScript.of(sql, "duckdb").at(position)?.text;
  const behind = (part: string) => sql.indexOf(part) + part.length;

  it("is the one around it, including its ends", () => {
    expect(at(sql.indexOf("select 1"))).toBe("select 1");
    expect(at(behind("select 1"))).toBe("select 1");
    expect(at(sql.indexOf("select 3") + 3)).toBe("select 3");
  });

  it("is the one that ends before it on the same line", () => {
    expect(at(behind("select 1;"))).toBe("select 1");
    expect(at(behind("select 2;"))).toBe("select 2");
  });

  it("is the next one from a blank line or its leading comment", () => {
    expect(at(0)).toBe("select 1");
    expect(at(behind("-- note"))).toBe("select 1");
    expect(at(sql.indexOf("\n\n") + 1)).toBe("select 2");
  });

  it("is the last one after everything, also comments, and null in an empty text", () => {
    expect(at(behind("-- tail"))).toBe("select 3");
    expect(at(sql.length)).toBe("select 3");
    expect(SqlScript.of(" -- nothing", "duckdb").at(3)).toBeNull();
  });

  it("is the following one where two meet", () => {
    expect(SqlScript.of("select 1;select 2", "duckdb").at(9)?.text).toBe("select 2");
  });
});

/** Parts that decide where statements end, in all dialects. */
const PARTS = [
  ...["select 1", "x", ";", ";", "; ", "\n", " ", "'", "''", "'a;b'", '"', "`", "\\", "--", "-- a\n", "#", "/*", "*/", "$$", "$a$", "//", "[", "]"],
  ...["create trigger t after insert on a ", "begin ", "begin atomic ", "end", "end;", "case when 1 then 2 end", "if 1 then ", "end if", "(", ")"],
  ...["create procedure p() ", "create function f() ", "create rule r do (", "delimiter //\n", "delimiter ;\n", "e'", "/*+ a */", "/*! a; */", "{{v}}"],
]; // biome-ignore format: a list to be read at a glance
const scripts = fc.array(fc.constantFrom(...PARTS), { maxLength: 30 }).map((parts) => parts.join(""));

test("splits an edited script like a new one", () => {
  const change = fc.tuple(fc.nat(), fc.nat({ max: 12 }), fc.array(fc.constantFrom(...PARTS), { maxLength: 3 }));
  fc.assert(
    fc.property(
      fc.constantFrom(...SQL_DIALECTS),
      scripts,
      fc.array(change, { minLength: 1, maxLength: 6 }),
      (dialect, first, changes) => {
        let script = SqlScript.of(first, dialect);
        for (const [place, gone, parts] of changes) {
          const at = place % (script.text.length + 1);
          const text = script.text.slice(0, at) + parts.join("") + script.text.slice(at + gone);
          script.variables();
          script = script.with(text);
          const anew = SqlScript.of(text, dialect);
          expect(script.statements.map(({ from, to, end, text: part }) => ({ from, to, end, part }))).toEqual(
            anew.statements.map(({ from, to, end, text: part }) => ({ from, to, end, part })),
          );
          expect(script.variables()).toEqual(anew.variables());
          // The editor highlights from the middle of the text, and gets the same pieces as from the start.
          const pieces = anew.pieces(0, text.length);
          expect(pieces).toEqual(expect.arrayContaining(script.pieces(at, text.length)));
          for (const { from, to } of anew.statements) expect(script.at(from)?.to).toBeGreaterThanOrEqual(to);
        }
      },
    ),
    { numRuns: 1500 },
  );
});

test("reads only the touched statement after an edit in a long script", () => {
  const text = "insert into t values (1, 'it''s'); -- note\n".repeat(20_000);
  const script = SqlScript.of(text, "mysql");
  const at = text.indexOf("1", text.length / 2);
  const changed = script.with(`${text.slice(0, at)}2${text.slice(at + 1)}`);
  const kept = script.statements.filter((statement, index) => statement === changed.statements[index]);
  expect(kept).toHaveLength(script.statements.length - 1);
});
