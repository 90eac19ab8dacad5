import { NEW_QUESTION, type Question, type QuestionTable, toFragment } from "@/lib/base/questions/question";

/** Returns the address of a new question about a table, or of a question that is worked out already. */
export function toQuestionAddress(
  slug: string,
  connectionId: string,
  table: QuestionTable | null,
  question?: Question,
): string {
  const { name, schema } = table ?? {};
  const query = name === undefined ? "" : `?${new URLSearchParams({ name, ...(schema !== undefined && { schema }) })}`;
  return `/w/${slug}/questions/${connectionId}${query}${question ? toFragment(question) : ""}`;
}

/** Returns the address that opens the question of a saved console. */
export function toSavedQuestionAddress(slug: string, connectionId: string, consoleId: string): string {
  return `/w/${slug}/questions/${connectionId}?${new URLSearchParams({ console: consoleId })}`;
}

/** Reads a question of `toFragment`. @returns null for anything else */
export function readFragment(fragment: string): Question | null {
  try {
    const read: unknown = JSON.parse(decodeURIComponent(fragment.replace(/^#/, "")));
    if (typeof read !== "object" || read === null || !("table" in read)) return null;
    const { table, timezone, ...parts } = read as Question;
    if (typeof table?.name !== "string") return null;
    const isWhole = Object.entries(NEW_QUESTION).every(([name, empty]) => {
      const part: unknown = parts[name as keyof typeof parts];
      return part === undefined || Array.isArray(part) === Array.isArray(empty);
    });
    return isWhole ? { ...NEW_QUESTION, ...parts, table, timezone: String(timezone ?? "UTC") } : null;
  } catch {
    return null;
  }
}
