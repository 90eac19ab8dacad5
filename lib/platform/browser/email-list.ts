import { findEmailProblem } from "@/lib/platform/browser/email-help";

/**
 * Splits typed or pasted text into addresses: at commas, semicolons, spaces and line ends. A name before an address in
 * angle brackets ("Ana <ana@example.com>") is dropped.
 * @returns each address once, in lower case; `rest` is the text that cannot be an address
 */
export function parseEmails(text: string): { emails: string[]; rest: string[] } {
  const parts = [...text.replace(/[^,;\n<>]*<([^<>]*)>/g, " $1 ").split(/[\s,;]+/)].filter((part) => part !== "");
  const emails = new Set<string>();
  const rest: string[] = [];
  for (const part of parts) {
    if (findEmailProblem(part) === null) emails.add(part.toLowerCase());
    else rest.push(part);
  }
  return { emails: [...emails], rest };
}
