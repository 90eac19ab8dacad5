import { editDistance } from "@/lib/base/values/edit-distance";

/** Mail hosts that are mistyped often enough to suggest a correction. */
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
/** Maximum distance of a typo: beyond two letters it is a different host. */
const SLIP_MAX = 2;

/**
 * Suggests the intended address, if the host is one typo away from a well-known one.
 * @returns null if there is nothing to suggest
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
