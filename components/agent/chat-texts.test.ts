import { describe, expect, it } from "vitest";
import { titleOf, toFixText, toOutgoing, toQuestions, toWords } from "@/components/agent/chat-texts";
import type { AgentMessage } from "@/components/agent/chats";
import { ApiError } from "@/lib/platform/browser/request";

const IMAGE = { type: "file", mediaType: "image/png", url: "data:," } as const;
const message = (role: "user" | "assistant", ...parts: AgentMessage["parts"]) =>
  ({ id: "m", role, parts }) as AgentMessage;
const text = (value: string) => ({ type: "text", text: value }) as const;

describe("titleOf", () => {
  it("is the start of the first question, on one line", () => {
    expect(titleOf([message("assistant", text("Hello")), message("user", text("Sales\n by  month"))])).toBe(
      "Sales by month",
    );
    expect(titleOf([message("user", text("x".repeat(61)))])).toBe(`${"x".repeat(60)}...`);
  });

  it("is the agent without a text", () => {
    expect(titleOf([])).toBe("Agent");
    expect(titleOf([message("user", IMAGE)])).toBe("Agent");
  });
});

it("returns the texts and the images of a message as a draft", () => {
  expect(toOutgoing(message("user", text("a"), IMAGE, text("b")))).toEqual({ text: "a\nb", images: [IMAGE] });
});

it("asks to fix a query in a block of code", () => {
  const fix = { kind: "fix" as const, consoleId: "c", query: "select 1 ", message: " No ", suggestions: [] };
  expect(toFixText(fix)).toBe("Fix this error: No\n\n```sql\nselect 1\n```");
  expect(toFixText({ ...fix, suggestions: ["raw.events", "event"] })).toBe(
    "Fix this error: No (did you mean raw.events, event?)\n\n```sql\nselect 1\n```",
  );
});

it("adds the wait of the server to its message", () => {
  expect(toWords(new ApiError(429, "rate_limited", "Too many requests.", undefined, 5))).toBe(
    "Too many requests. Try again in 5 seconds.",
  );
  expect(toWords(undefined)).toBe("The answer was interrupted. Try again.");
});

describe("suggested questions", () => {
  const table = (name: string, rowEstimate: number, ...columns: [string, string][]) => ({
    name,
    kind: "table" as const,
    rowEstimate,
    columns: columns.map(([column, type]) => ({ name: column, type, nullable: false, primaryKey: false })),
  });
  const to = (name: string) => [{ columns: [`${name}_id`], references: { name, columns: ["id"] } }];

  it("are about tables, but not about rejected rows", () => {
    const tables = [
      table("orders", 10, ["placed_at", "timestamp"], ["status", "text"]),
      table("orders_rejected", 20, ["row", "text"]),
    ];
    expect(toQuestions(tables)).toEqual([
      "How many orders per month?",
      "How many orders per status?",
      "How many orders are there?",
    ]);
  });

  it("prefer tables that others refer to", () => {
    const tables = [
      { ...table("page_events", 1000, ["at", "timestamp"], ["kind", "text"]), foreignKeys: to("customers") },
      { ...table("order_items", 300, ["quantity", "int"]), foreignKeys: to("orders") },
      { ...table("orders", 100, ["placed_at", "timestamp"]), foreignKeys: to("customers") },
      table("customers", 10, ["country", "text"]),
    ];
    expect(toQuestions(tables)).toEqual([
      "How many orders per month?",
      "Which customers have the most orders?",
      "How many customers per country?",
      "How many orders are there?",
    ]);
  });

  it("name tables in the plural", () => {
    const tables = ["order", "category", "film_batch", "day", "people", "Tag2"].map((name) =>
      table(name, 1, ["id", "int"]),
    );
    const asked = tables.flatMap((each) => toQuestions([each]));
    expect(asked.map((question) => question.slice("How many ".length, -" are there?".length))).toEqual([
      ...["orders", "categories", "film batches", "days", "people", "Tag2"],
    ]);
  });
});
