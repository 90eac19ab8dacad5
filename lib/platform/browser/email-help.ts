/**
 * Returns the problem of an address, in words that help to correct it.
 * @returns null if there is none; the server's schema still decides
 */
export function findEmailProblem(email: string): string | null {
  const text = email.trim();
  if (text === "") return "Enter your email address.";
  const at = text.lastIndexOf("@");
  if (at < 0) return "Add an @, as in ana@example.com.";
  const name = text.slice(0, at);
  const host = text.slice(at + 1);
  if (name === "") return "Add the part before the @.";
  if (host === "") return "Add the part after the @.";
  if (/\s/.test(text)) return "Email addresses can't contain spaces.";
  if (name.includes("@")) return "Email addresses can't contain more than one @.";
  if (!host.includes(".") || host.endsWith(".")) return "Add the domain ending, such as .com.";
  if (host.startsWith(".") || text.includes("..")) return "Remove the extra dot.";
  return null;
}
