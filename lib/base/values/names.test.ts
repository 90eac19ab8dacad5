import { expect, test } from "vitest";
import { toZoneName } from "./names";

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
