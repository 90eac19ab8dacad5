/** Default charset of JSON (RFC 8259). */
const DEFAULT_CHARSET = "utf-8";
const CHARSET = /;\s*charset\s*=\s*(?:"([^"]{1,40})"|([^\s;"]{1,40}))/i;

/** Thrown for bytes that are not text: an unknown charset, or bytes that are invalid in the named one. */
export class Undecodable extends Error {}

/**
 * Decodes a body by the charset of its Content-Type; default: UTF-8. A byte order mark is removed, and sets the
 * encoding if no charset is named (UTF-8, UTF-16).
 * @throws Undecodable with the reason for people
 */
export function decodeText(bytes: Uint8Array, contentType: string | null): string {
  const named = charsetOf(contentType);
  const charset = named ?? charsetOfMark(bytes) ?? DEFAULT_CHARSET;
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch (error) {
    throw new Undecodable(`its charset ${charset.slice(0, 40)} is not supported. Use UTF-8.`, { cause: error });
  }
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new Undecodable(`it is not valid ${charset.toUpperCase()}.`, { cause: error });
  }
}

function charsetOf(contentType: string | null): string | null {
  const [, quoted, plain] = CHARSET.exec(contentType ?? "") ?? [];
  return quoted ?? plain ?? null;
}

function charsetOfMark([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
