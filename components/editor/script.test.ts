import { describe, expect, it } from "vitest";
import { pickRange, pickStatements } from "@/components/editor/script";

const SCRIPT = "select ';' as a;\n-- b; c\nselect 2";
/** Parses a text in which one bar marks the cursor and two mark a selection. */
const reading = (text: string) => {
  const [first, second] = [text.indexOf("|"), text.lastIndexOf("|")];
  const content = text.replaceAll("|", "");
  const end = second === first ? first : second - 1;
  return { content, position: end, selectionFrom: first, selectionTo: end };
};
const texts = (text: string) => pickStatements(reading(text), "postgres").map((statement) => statement.text);

describe("the text to run", () => {
  it("is the statement at the cursor, as the database splits it", () => {
    expect(texts("|select ';' as a;\n-- b; c\nselect 2")).toEqual(["select ';' as a"]);
    expect(texts(`${SCRIPT}|`)).toEqual(["select 2"]);
    expect(texts("select ';' as a;\n-- b|; c\nselect 2")).toEqual(["select 2"]);
    expect(texts("|-- nothing")).toEqual([]);
  });

  it("is the selection, split into statements", () => {
    expect(texts(`|${SCRIPT}|`)).toEqual(["select ';' as a", "select 2"]);
    expect(texts("select |1|, 2")).toEqual(["1"]);
  });

  it("is read as MongoDB's shell there", () => {
    const text = 'db.a.find({b: ";"});\ndb.c.find()|';
    expect(pickStatements(reading(text), "mongodb").map((each) => each.text)).toEqual(["db.c.find()"]);
  });

  it("is formatted with selected comments, and without surrounding ones", () => {
    const range = (text: string) => {
      const at = reading(text);
      const found = pickRange(at, "postgres");
      return found && at.content.slice(found.from, found.to);
    };
    expect(range(`${SCRIPT}|`)).toBe("select 2");
    expect(range("select ';' as a;\n|-- b; c\nselect 2|")).toBe("-- b; c\nselect 2");
  });
});
