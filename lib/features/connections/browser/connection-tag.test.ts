import { expect, test } from "vitest";
import { TAG_COLOURS, tagSchema } from "@/lib/features/connections/schema";
import { COLOUR_NAMES, isPreset, isSameTag, TAG_PRESETS } from "./connection-tag";

test("every colour that a tag may have can be chosen, and the server takes what is offered", () => {
  expect(COLOUR_NAMES.map(({ colour }) => colour)).toEqual([...TAG_COLOURS]);
  for (const preset of TAG_PRESETS) expect(tagSchema.parse(preset)).toEqual(preset);
});

test("a usual name in another colour is a tag of one's own", () => {
  expect(isPreset({ name: "Production", colour: "rose" })).toBe(true);
  expect(isPreset({ name: "Production", colour: "gray" })).toBe(false);
});

test("tags are the same by name and colour; none is like none only", () => {
  expect(isSameTag(null, null)).toBe(true);
  expect(isSameTag({ name: "a", colour: "sky" }, { name: "a", colour: "sky" })).toBe(true);
  expect(isSameTag({ name: "a", colour: "sky" }, { name: "a", colour: "gray" })).toBe(false);
  expect(isSameTag({ name: "a", colour: "sky" }, null)).toBe(false);
});
