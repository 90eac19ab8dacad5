/** The text with a newline at its end, as git likes files: that one is missing is nothing that anybody wrote. */
export function withLastNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
