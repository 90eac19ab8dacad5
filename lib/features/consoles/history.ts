import "server-only";
import type { ObjectId } from "mongodb";
import { contentAt } from "@/lib/features/folders/history";
import type { Caller } from "@/lib/platform/access/caller";
import { CONSOLES } from "./item-kind";
import type { Console } from "./schema";
import { restoreContent } from "./service";

/**
 * Restores the text of a console after a commit, as a new commit.
 * @throws AppError invalid_request (malformed sha), conflict (several commits fit), not_found (unknown, of other files,
 * or one that left no text)
 */
export async function restoreVersion(caller: Caller, consoleId: ObjectId, sha: string): Promise<Console> {
  const { content, label } = await contentAt(caller, CONSOLES, consoleId, sha);
  return restoreContent(caller, consoleId, content, label);
}
