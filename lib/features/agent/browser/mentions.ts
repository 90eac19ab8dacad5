/** A part of a text, from its first character to the one before `to`. */
export type TextRange = { from: number; to: number };

/** Returns the mention being typed before the caret, with its @; null without one. */
export function findMention(text: string, caret: number): TextRange | null {
  const match = /(?:^|\s)@([\p{L}\p{N}_.-]*)$/u.exec(text.slice(0, caret));
  return match ? { from: caret - (match[1]?.length ?? 0) - 1, to: caret } : null;
}

/** Returns the text before the caret with an @ that starts a mention. */
export function withMentionMark(before: string): string {
  return before === "" || /\s$/.test(before) ? `${before}@` : `${before} @`;
}
