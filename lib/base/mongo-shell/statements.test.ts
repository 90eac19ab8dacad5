import { describe, expect, it } from "vitest";
import { ShellScript } from "./statements";

const cut = (text: string) => ShellScript.of(text).statements.map((each) => each.text);

describe("a shell script", () => {
  it.each<[string, string, string[]]>([
    ["lines", 'db.a.find({x: ";"})\ndb.b.find()', ['db.a.find({x: ";"})', "db.b.find()"]],
    ["semicolons", "db.a.find(); db.b.find();", ["db.a.find()", "db.b.find()"]],
    [
      "chains",
      "db.a\n  .find({})\n  .sort({n: 1})\n\ndb.b.find()",
      ["db.a\n  .find({})\n  .sort({n: 1})", "db.b.find()"],
    ],
    ["a dot at a line's end", "db.\na.find()", ["db.\na.find()"]],
    [
      "arguments over lines",
      'db.a.find({\n  db: 1,\n  "db.b.find()": 2,\n})',
      ['db.a.find({\n  db: 1,\n  "db.b.find()": 2,\n})'],
    ],
    [
      "comments",
      "// db.no.find(); x\ndb.a.find() // one; two\n/* db.b\n */ db.c.find()",
      ["db.a.find()", "db.c.find()"],
    ],
    ["regular expressions", "db.a.find({s: /;\\/'/i}); db.b.find()", ["db.a.find({s: /;\\/'/i})", "db.b.find()"]],
    ["an open bracket", "db.a.find({x: 1\ndb.b.find()", ["db.a.find({x: 1", "db.b.find()"]],
    ["an open text", 'db.a.find({x: "1})\ndb.b.find()', ['db.a.find({x: "1})', "db.b.find()"]],
    ["an open comment", "db.a.find() /* no end", ["db.a.find() /* no end"]],
    ["words of no shell", "select 1\nfrom a", ["select 1", "from a"]],
    ["nothing", " // only a comment\n", []],
  ])("is split by %s", (_, text, statements) => {
    expect(cut(text)).toEqual(statements);
  });

  it("returns the statement at the cursor", () => {
    const text = 'db.a.find({x: ";"});\n\n// then\ndb.b.find()';
    const script = ShellScript.of(text);
    const at = (part: string, by = 0) => script.at(text.indexOf(part) + by)?.text;
    expect(at('";"', 1)).toBe('db.a.find({x: ";"})');
    expect(at(";\n", 1)).toBe('db.a.find({x: ";"})');
    expect(at("// then", 2)).toBe("db.b.find()");
    expect(script.at(text.length)?.text).toBe("db.b.find()");
    expect(ShellScript.of("  ").at(1)).toBeNull();
    expect(script.within(text.indexOf("db.b"), text.length)).toMatchObject([
      { from: text.indexOf("db.b"), text: "db.b.find()" },
    ]);
  });

  it("is the same after every edit as when read completely", () => {
    const end =
      'db.a.find({x: ";"})\n  .sort({n: 1});\ndb.b.aggregate([{$match: {s: /a;b/}}])\n// done\ndb["c d"].find({t: `x\ny`}).limit(1)\n';
    let script = ShellScript.of("");
    for (let length = 1; length <= end.length; length += 1) {
      script = script.with(end.slice(0, length));
      expect(script.statements).toEqual(ShellScript.of(end.slice(0, length)).statements);
    }
    for (let at = 0; at < end.length; at += 1) {
      const changed = `${end.slice(0, at)}"${end.slice(at + 1)}`;
      expect(script.with(changed).statements).toEqual(ShellScript.of(changed).statements);
    }
  });
});
