import "server-only";
import type { ObjectId } from "mongodb";
import type { Space } from "@/lib/features/folders/model";
import { parseName, placeOf } from "@/lib/features/folders/names";
import { keysIn } from "@/lib/features/folders/placement";
import { DASHBOARDS } from "./cabinet";

export const ENDING = ".json";
/** Leaves room in a segment of 200 bytes for " 2000.json". */
const STEM_BYTES_MAX = 180;
/** What a title of which no character can stand in a path is filed as. */
const UNNAMED = "dashboard";

type Home = { workspaceId: ObjectId; space: Space; folder: { _id: ObjectId; path: string } | null };

/**
 * The name of a dashboard's file: its title, as far as a path takes it, and a number when that is taken. Titles are free
 * and may be there twice.
 * @param self the key of the dashboard that may stand there already
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

/** The title without what no segment of a path takes. */
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
    // Git's own names, and what is empty by now.
    return stem === "" ? UNNAMED : `${UNNAMED} ${stem.replace(/[^A-Za-z0-9]+/g, "-")}`;
  }
}
