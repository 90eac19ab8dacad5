import "server-only";
import type { ObjectId } from "mongodb";
import { contentAt } from "@/lib/features/folders/history";
import type { Caller } from "@/lib/platform/access/caller";
import { CONSOLES } from "./cabinet";
import type { Console } from "./schema";
import { restoreContent } from "./service";

/**
 * Gives a console the text that it had after a commit, as a new commit.
 * @throws AppError invalid_request (malformed sha), conflict (several commits fit), not_found (unknown, of other files,
 *   or one that left no text)
 */
export async function restoreVersion(caller: Caller, consoleId: ObjectId, sha: string): Promise<Console> {
  const { content, label } = await contentAt(caller, CONSOLES, consoleId, sha);
  return restoreContent(caller, consoleId, content, label);
}
