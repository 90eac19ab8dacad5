import "server-only";
import type { ObjectId } from "mongodb";
import type { Space } from "@/lib/features/folders/model";
import { parseName, placeOf } from "@/lib/features/folders/names";
import { keysIn } from "@/lib/features/folders/placement";
import { DASHBOARDS, ENDING } from "./item-kind";

/** Leaves room in a segment of 200 bytes for " 2000.json". */
const STEM_BYTES_MAX = 180;
/** File name for a title without any valid character. */
const UNNAMED = "dashboard";

type Home = { workspaceId: ObjectId; space: Space; folder: { _id: ObjectId; path: string } | null };

/**
 * Returns the file name of a dashboard: its title, as far as a path allows, with a number when that name is taken.
 * Titles are free and need not be unique.
 * @param self the key of the dashboard that may already have the name
 */
export async function fileNameFor(title: string, home: Home, self: string | null): Promise<string> {
  const { workspaceId, space, folder } = home;
  const taken = await keysIn(DASHBOARDS, { workspaceId, space, folderId: folder?._id ?? null });
  if (self !== null) taken.delete(self);
  const stem = stemOf(title);
  for (let n = 1; ; n++) {
    const name = n === 1 ? stem : `${stem} ${n}`;
    if (!taken.has(placeOf(DASHBOARDS.root, folder?.path ?? null, name, ENDING).key)) return name;
  }
}

/** Returns the title without characters that are invalid in a path segment. */
export function stemOf(title: string): string {
  const plain = title
    .normalize("NFC")
    .replace(
      /[/\\:<>"|?*\p{Cc}\p{Cs}\u2028\u2029\p{Default_Ignorable_Code_Point}\u061c\u200e\u200f\ufffe\uffff\ufdd0-\ufdef]+/gu,
      "-",
    )
    .replace(/\s+/gu, " ");
  let letters = [...plain];
  while (Buffer.byteLength(letters.join("")) > STEM_BYTES_MAX) letters = letters.slice(0, -1);
  const stem = letters.join("").replace(/^[\s.]+|[\s.]+$/gu, "");
  try {
    return parseName(stem);
  } catch {
    // Names reserved by git, and empty results.
    return stem === "" ? UNNAMED : `${UNNAMED} ${stem.replace(/[^A-Za-z0-9]+/g, "-")}`;
  }
}
