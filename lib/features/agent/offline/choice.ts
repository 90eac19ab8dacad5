/**
 * A name, or a value, with several meanings. `isRepeat` tells that they differ only in how often equal things count or
 * appear.
 */
export type Choice = { said: string; options: string[]; isValue?: boolean; isRepeat?: boolean };
/** The chosen meaning of each name, in lower case. */
export type Chosen = ReadonlyMap<string, string>;

const START = /\(“[^”\n]{1,120}” means /;

/** Returns the question with the meaning of one of its names: revenue (“revenue” means sales.revenue). */
export function withChoice(question: string, said: string, option: string): string {
  return `${question} (“${said}” means ${option})`;
}

/** Returns the question and the meanings at its end. */
export function readChosen(text: string): { question: string; chosen: Chosen } {
  const at = text.search(START);
  if (at < 0) return { question: text, chosen: new Map() };
  const parts = text
    .slice(at)
    .trim()
    .replace(/^\(|\)$/g, "")
    .split(/\)\s*\((?=“)/);
  const found = parts.map((part) => /^“(.+?)” means (.+)$/s.exec(part)).filter((match) => match !== null);
  return {
    question: text.slice(0, at).trimEnd(),
    chosen: new Map(found.map(([, said = "", option = ""]) => [said.toLowerCase(), option.trim()])),
  };
}
