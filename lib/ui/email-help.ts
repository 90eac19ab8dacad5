import { editDistance } from "@/lib/text/edit-distance";

/** Mail hosts that are mistyped often enough to ask about. */
const KNOWN_HOSTS = [
  "gmail.com",
  "googlemail.com",
  "outlook.com",
  "hotmail.com",
  "live.com",
  "yahoo.com",
  "icloud.com",
  "proton.me",
  "protonmail.com",
  "gmx.de",
  "gmx.net",
  "fastmail.com",
];
/** Beyond two letters apart a host is another host, not a slip. */
const SLIP_MAX = 2;

/**
 * What is wrong with an address, said so that it can be put right.
 * @returns null when nothing is; the server's schema still has the last word
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

/**
 * The address that was probably meant, when the host is a slip away from a well-known one.
 * @returns null when there is nothing to suggest
 */
export function suggestEmail(email: string): string | null {
  const text = email.trim();
  const at = text.lastIndexOf("@");
  if (at < 1) return null;
  const host = text.slice(at + 1).toLowerCase();
  if (host === "" || KNOWN_HOSTS.includes(host)) return null;
  const close = KNOWN_HOSTS.map((known) => ({ known, distance: editDistance(host, known) }))
    .filter(({ known, distance }) => distance <= SLIP_MAX && distance < known.indexOf("."))
    .sort((a, b) => a.distance - b.distance)[0];
  return close === undefined ? null : `${text.slice(0, at)}@${close.known}`;
}
