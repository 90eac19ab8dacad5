/**
 * Returns the problem of an address, in words that help to correct it.
 * @returns null if there is none; the server's schema still decides
 */
export function findEmailProblem(email: string): string | null {
  const text = email.trim();
  if (text === "") return "Enter your email address.";
  const at = text.lastIndexOf("@");
  if (at < 0) return "This address is missing its @, as in ana@example.com.";
  const name = text.slice(0, at);
  const host = text.slice(at + 1);
  if (name === "") return "This address is missing the part before the @.";
  if (host === "") return "This address is missing the part after the @.";
  if (/\s/.test(text)) return "An address has no spaces in it.";
  if (name.includes("@")) return "This address has more than one @.";
  if (!host.includes(".") || host.endsWith(".")) return "This address is missing its ending, such as .com or .shop.";
  if (host.startsWith(".") || text.includes("..")) return "This address has a dot too many.";
  return null;
}
