import { expect, test } from "vitest";
import { TAG_COLOURS, tagSchema } from "@/lib/features/connections/schema";
import { COLOUR_NAMES, isPreset, isSameTag, TAG_PRESETS } from "./connection-tag";

test("accepts every offered tag colour on the server", () => {
  expect(COLOUR_NAMES.map(({ colour }) => colour)).toEqual([...TAG_COLOURS]);
  for (const preset of TAG_PRESETS) expect(tagSchema.parse(preset)).toEqual(preset);
});

test("a usual name with another colour is a custom tag", () => {
  expect(isPreset({ name: "Production", colour: "rose" })).toBe(true);
  expect(isPreset({ name: "Production", colour: "gray" })).toBe(false);
});

test("compares tags by name and colour", () => {
  expect(isSameTag(null, null)).toBe(true);
  expect(isSameTag({ name: "a", colour: "sky" }, { name: "a", colour: "sky" })).toBe(true);
  expect(isSameTag({ name: "a", colour: "sky" }, { name: "a", colour: "gray" })).toBe(false);
  expect(isSameTag({ name: "a", colour: "sky" }, null)).toBe(false);
});
