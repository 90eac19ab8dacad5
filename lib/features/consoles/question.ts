import "server-only";
import { createHash } from "node:crypto";
import type { Question } from "@/lib/base/questions/question";
import { questionSchema } from "@/lib/features/query/question/schema";
import { canonicalJson } from "@/lib/platform/jobs/canonical-json";
import type { SavedQuestion } from "./settings-schema";

/** Far more than a change by accident needs to differ. */
const DIGEST_CHARS = 16;

/** Returns a question as JSON, with the digest of itself and of the text that it was rendered to; null for none. */
export function toStoredQuestion(question: Question | null, content: string): string | null {
  return question && JSON.stringify({ ...question, digest: digestOf(question, content) });
}

/**
 * Reads a question of `toStoredQuestion`, or of a pushed file.
 * @param content the present text
 * @returns null for none, and for one that this version does not understand: its text is a console as any other.
 *   `isCurrent` is false if one was changed without the other
 */
export function readQuestion(stored: string | null | undefined, content: string): SavedQuestion | null {
  if (!stored) return null;
  const { digest, ...value }: Record<string, unknown> = JSON.parse(stored);
  const { data } = questionSchema.safeParse(value);
  return data ? { ...data, isCurrent: digest === digestOf(value, content) } : null;
}

function digestOf(question: object, content: string): string {
  // Editors and git change the ends of lines and of files.
  const text = content.replaceAll("\r\n", "\n").trim();
  const hash = createHash("sha256")
    // The order of keys is another in an edited file, and a missing value is left out of it.
    .update(canonicalJson(JSON.parse(JSON.stringify(question))))
    .update("\n")
    .update(text);
  return hash.digest("hex").slice(0, DIGEST_CHARS);
}
