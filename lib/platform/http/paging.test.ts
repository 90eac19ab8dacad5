import { ObjectId } from "mongodb";
import { expect, it } from "vitest";
import { asArray, readCursor, toPage, withExtra } from "./paging";

const docs = Array.from({ length: 5 }, () => ({ _id: new ObjectId() }));
const read = (limit: number) => toPage(docs.slice(0, withExtra(limit)), limit, (doc) => doc._id.toHexString());

it("a page that is full to the last document has no next one", () => {
  expect(read(5)).toEqual({ items: docs.map((doc) => doc._id.toHexString()), nextCursor: null });
});

it("a page that is cut points behind its last item", () => {
  const page = read(3);
  expect(page.items).toHaveLength(3);
  expect(readCursor(page.nextCursor ?? "")?.toHexString()).toBe(docs[2]?._id.toHexString());
});

it("an array answer says in a header how it goes on, and nothing when it does not", () => {
  const headers = new Headers();
  expect(asArray(headers, read(3))).toHaveLength(3);
  expect(headers.get("x-next-cursor")).toBe(docs[2]?._id.toHexString());
  const last = new Headers();
  asArray(last, read(5));
  expect(last.has("x-next-cursor")).toBe(false);
});

it.each(["", "x", "g".repeat(24), "F".repeat(24), `${"a".repeat(24)} `])("the cursor %j is refused", (cursor) => {
  expect(() => readCursor(cursor)).toThrow(expect.objectContaining({ kind: "invalid_request" }));
});
