import "server-only";
import { createHash } from "node:crypto";
import type { Question } from "@/lib/base/questions/question";
import { questionSchema } from "@/lib/features/query/question/schema";
import type { SavedQuestion } from "./settings-schema";

/** Far more than a change by accident needs to differ. */
const DIGEST_CHARS = 16;

/** Returns a question as JSON, with the digest of the text that it was rendered to; null for none. */
export function toStoredQuestion(question: Question | null, content: string): string | null {
  return question && JSON.stringify({ ...question, digest: digestOf(content) });
}

/**
 * Reads a question of `toStoredQuestion`, or of a pushed file.
 * @param content the present text
 * @returns null for none, and for one that this version does not understand: its text is a console as any other
 */
export function readQuestion(stored: string | null | undefined, content: string): SavedQuestion | null {
  if (!stored) return null;
  const value: Record<string, unknown> = JSON.parse(stored);
  const { data } = questionSchema.safeParse(value);
  return data ? { ...data, isCurrent: value.digest === digestOf(content) } : null;
}

/** Editors and git change the ends of lines and of files. */
function digestOf(content: string): string {
  const text = content.replaceAll("\r\n", "\n").trim();
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_CHARS);
}
