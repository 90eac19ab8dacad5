import type { Tag } from "@/lib/features/connections/schema";

/** Common tags; any other has a custom name and colour. */
export const TAG_PRESETS: readonly Tag[] = [
  { name: "Test", colour: "teal" },
  { name: "Staging", colour: "amber" },
  { name: "Production", colour: "rose" },
];

export const COLOUR_NAMES: readonly { colour: Tag["colour"]; name: string }[] = [
  { colour: "teal", name: "Teal" },
  { colour: "amber", name: "Amber" },
  { colour: "indigo", name: "Indigo" },
  { colour: "rose", name: "Rose" },
  { colour: "olive", name: "Olive" },
  { colour: "sky", name: "Sky" },
  { colour: "gray", name: "Grey" },
];

export function isPreset(tag: Tag): boolean {
  return TAG_PRESETS.some(({ name, colour }) => name === tag.name && colour === tag.colour);
}

export function isSameTag(one: Tag | null, other: Tag | null): boolean {
  return one === other || (one?.name === other?.name && one?.colour === other?.colour);
}
