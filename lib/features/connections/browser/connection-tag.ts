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

/** Names of tags for connections whose writes are always confirmed, in lower case. */
const PRODUCTION_NAMES = new Set(["production", "prod", "live"]);

export function isProduction(tag: Tag | null): boolean {
  return tag !== null && PRODUCTION_NAMES.has(tag.name.trim().toLowerCase());
}

export function isPreset(tag: Tag): boolean {
  return TAG_PRESETS.some(({ name, colour }) => name === tag.name && colour === tag.colour);
}

export function isSameTag(one: Tag | null, other: Tag | null): boolean {
  return one === other || (one?.name === other?.name && one?.colour === other?.colour);
}
