import { afterEach, expect, it, vi } from "vitest";
import { findReaders } from "@/components/schema/find-readers";

afterEach(() => vi.unstubAllGlobals());

const hit = (id: string, more: object = {}) => ({
  id,
  name: `Console ${id}`,
  connectionId: "c",
  lineCount: 1,
  ...more,
});

/** Answers the list of uses with one console, and the search with these hits. */
function find(hits: object[], headers: Record<string, string> = {}) {
  vi.stubGlobal("fetch", (url: string) => {
    const isSearch = new URL(url, "http://localhost").pathname.endsWith("/search");
    const data = isSearch ? hits : [{ kind: "scheduled_console", id: "1", name: "Console 1" }];
    return Promise.resolve(Response.json({ success: true, data }, { headers: isSearch ? headers : {} }));
  });
  return findReaders("w", "c", "sales");
}

it("lists consoles of the connection that contain the table's name, each once", async () => {
  const hits = [hit("1"), hit("2"), hit("3", { connectionId: "other" }), hit("4", { lineCount: 0 })];
  expect(await find(hits)).toEqual({
    usages: [
      { kind: "console", id: "2", name: "Console 2" },
      { kind: "scheduled_console", id: "1", name: "Console 1" },
    ],
    isIncomplete: false,
  });
});

it.each([
  { name: "ended early", hits: [], headers: { "x-search-incomplete": "true" }, isIncomplete: true },
  { name: "has the maximum of hits", hits: Array.from({ length: 50 }, () => hit("2")), isIncomplete: true },
  { name: "has fewer hits", hits: Array.from({ length: 49 }, () => hit("2")), isIncomplete: false },
])("returns whether more consoles may read the table when the search $name", async (each) => {
  expect((await find(each.hits, each.headers)).isIncomplete).toBe(each.isIncomplete);
});
