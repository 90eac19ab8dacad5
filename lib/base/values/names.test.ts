import { expect, test } from "vitest";
import { toFreeName, toZoneName } from "./names";

test.each([
  ["europe/lisbon", "Europe/Lisbon"],
  ["UTC", "UTC"],
  ["Asia/Kathmandu", toZoneName("Asia/Katmandu")],
  ["+02:00", null],
  ["Europe/Lis", null],
  ["", null],
])("%s is the zone %s", (text, name) => {
  expect(toZoneName(text)).toBe(name);
});

test("numbers a name that is taken, without case", () => {
  expect(toFreeName("orders", ["Orders", "orders_2"])).toBe("orders_3");
  expect(toFreeName("items", ["orders"])).toBe("items");
});
