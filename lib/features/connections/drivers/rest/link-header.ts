/** Maximum characters of a Link header: servers send a few links. */
const HEADER_CHARS_MAX = 16 * 1024;
const LINK = /<([^<>]{1,8192})>([^<]*)/g;

/** Returns the URL that a Link header (RFC 8288) gives for the next page, null for none. */
export function nextLink(header: string | null): string | null {
  if (header === null || header.length > HEADER_CHARS_MAX) return null;
  for (const [, address, params = ""] of header.matchAll(LINK)) {
    const [, quoted, bare] = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(params) ?? [];
    const relations = (quoted ?? bare ?? "").toLowerCase().split(/\s+/);
    if (relations.includes("next") && address !== undefined) return address;
  }
  return null;
}
