import { ObjectId } from "mongodb";
import { expect, it } from "vitest";
import { asArray, readCursor, toPage, withExtra } from "./paging";

const docs = Array.from({ length: 5 }, () => ({ _id: new ObjectId() }));
const read = (limit: number) => toPage(docs.slice(0, withExtra(limit)), limit, (doc) => doc._id.toHexString());

it("has no next page if the last document fills the page", () => {
  expect(read(5)).toEqual({ items: docs.map((doc) => doc._id.toHexString()), nextCursor: null });
});

it("points after the last item of a page", () => {
  const page = read(3);
  expect(page.items).toHaveLength(3);
  expect(readCursor(page.nextCursor ?? "")?.toHexString()).toBe(docs[2]?._id.toHexString());
});

it("has the next cursor of an array response in a header, and none at the end", () => {
  const headers = new Headers();
  expect(asArray(headers, read(3))).toHaveLength(3);
  expect(headers.get("x-next-cursor")).toBe(docs[2]?._id.toHexString());
  const last = new Headers();
  asArray(last, read(5));
  expect(last.has("x-next-cursor")).toBe(false);
});

it.each(["", "x", "g".repeat(24), "F".repeat(24), `${"a".repeat(24)} `])("rejects the cursor %j", (cursor) => {
  expect(() => readCursor(cursor)).toThrow(expect.objectContaining({ kind: "invalid_request" }));
});
