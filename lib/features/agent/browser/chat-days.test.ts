import { expect, it } from "vitest";
import { groupByDay, toChatTime } from "./chat-days";

const NOW = new Date(2026, 10, 25, 9, 30);
const at = (...date: [number, number, number, number]) => new Date(...date).toISOString();

it("groups chats by day, then by month, in their order", () => {
  const chats = [
    { updatedAt: at(2026, 10, 25, 8) },
    { updatedAt: at(2026, 10, 25, 0) },
    { updatedAt: at(2026, 10, 24, 23) },
    { updatedAt: at(2026, 10, 23, 23) },
    { updatedAt: at(2026, 9, 31, 12) },
  ];
  expect(groupByDay(chats, NOW).map(({ day, items }) => [day, items.length])).toEqual([
    ["Today", 2],
    ["Yesterday", 1],
    ["Earlier this month", 1],
    ["October 2026", 1],
  ]);
});

it("shows the time of day only for today and yesterday", () => {
  expect(toChatTime(at(2026, 10, 24, 23), NOW)).toMatch(/23:00/);
  expect(toChatTime(at(2026, 10, 23, 23), NOW)).toBe("23 Nov");
});
