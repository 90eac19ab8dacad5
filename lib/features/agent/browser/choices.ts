/** A choice of a question back: its label, and the question that its button sends. */
export type ChoiceButton = { label: string; question: string };

/** Key of the assistant's metadata of a text part. */
export const METADATA_KEY = "millrace";

/** Returns the choices that a text part's metadata holds, or null. A model may send any form. */
export function readChoices(metadata: unknown): ChoiceButton[] | null {
  const { choices } = asRecord(asRecord(metadata)[METADATA_KEY]);
  if (!Array.isArray(choices)) return null;
  const found = choices.flatMap((each): ChoiceButton[] => {
    const { label, question } = asRecord(each);
    return typeof label === "string" && typeof question === "string" ? [{ label, question }] : [];
  });
  return found.length > 0 ? found : null;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
