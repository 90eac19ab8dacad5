/** Returns the text with a newline at its end, as git expects: a missing one is not a change by the user. */
export function withLastNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
