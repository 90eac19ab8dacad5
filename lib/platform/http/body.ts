import { ExactNumber, parseExactJson } from "@/lib/base/values/exact-json";
import { RequestPacer } from "@/lib/platform/process/request-pacer";
import { serverMember } from "@/lib/platform/process/server-context";
import { yieldToEventLoop } from "@/lib/platform/process/yield-to-event-loop";
import { AppError } from "./errors";

const MIB = 1024 * 1024;
/** Size limits of bodies (docs/develop/api.md, Common rules; T104). */
export const BODY_LIMITS = { auth: 16 * 1024, json: MIB, chat: 8 * MIB } as const;
export type BodyLimit = keyof typeof BODY_LIMITS;

/** Maximum depth: deeper than any body of ours, and far from where recursion fails (T72). */
const DEPTH_MAX = 64;
/**
 * Maximum number of values: more than any query, chat or form sends; a mebibyte of empty lists would have five times as
 * many.
 */
const VALUES_MAX = 100_000;
/** Estimated memory of a value beside its text, in bytes. */
const VALUE_BYTES = 48;
/** Maximum memory of all running requests' bodies; beyond it the server answers that it is full. */
const HELD_BYTES_MAX = 512 * MIB;
const RETRY_AFTER_SECONDS = 2;
/** Maximum time for parsing large bodies in one turn of the event loop (F15). A piece of 64 KiB takes about 0.3 ms. */
const PIECES_TURN_MS = 10;

/** Memory that the bodies of all current requests hold. */
const heldBodies = serverMember("heldBodies", () => ({ bytes: 0 }));

/** Share of one request in the memory for all bodies. Release it when the request is over. */
export class HeldBody {
  #bytes = 0;

  /** @throws AppError `unavailable` if there is no room */
  add(bytes: number): void {
    const total = heldBodies();
    if (total.bytes + bytes > HELD_BYTES_MAX) {
      throw new AppError("unavailable", "The server is busy. Try again in a moment.", {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        headers: { Connection: "close" },
      });
    }
    total.bytes += bytes;
    this.#bytes += bytes;
  }

  release(): void {
    heldBodies().bytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/**
 * Reads and parses a JSON body, and counts its bytes while reading.
 * @param options.keepsDigits whether a number that no double holds becomes an `ExactNumber`; else it is rounded
 * @param options.held accounts for the memory; the caller releases it
 * @returns undefined for an empty body
 * @throws AppError `too_large`, `unsupported_media_type`, `invalid_request`, `unavailable`
 */
export async function readJson(
  request: Request,
  limitBytes: number,
  options: { demandJsonType: boolean; held: HeldBody; keepsDigits?: boolean },
): Promise<unknown> {
  requirePlain(request);
  const bytes = await readBytes(request, limitBytes, options.held);
  if (bytes.byteLength === 0) return undefined;
  if (options.demandJsonType && !isJson(request.headers.get("content-type"))) {
    throw new AppError("unsupported_media_type", "Send JSON, with Content-Type: application/json.");
  }
  if (bytes.byteLength > LARGE_BYTES) await yieldToEventLoop();
  const size = measure(bytes);
  if (size === null) throw notJson();
  options.held.add(size.values * VALUE_BYTES);
  if (bytes.byteLength > LARGE_BYTES) await yieldToEventLoop();
  return parse(bytes, options.keepsDigits);
}

/**
 * Reads a body unparsed, for signatures over its bytes.
 * @throws AppError `too_large`, `unsupported_media_type` for a compressed one, `invalid_request`, `unavailable`
 */
export async function readRawBody(request: Request, limitBytes: number): Promise<Buffer> {
  const held = new HeldBody();
  try {
    requirePlain(request);
    return Buffer.from(await readBytes(request, limitBytes, held));
  } finally {
    held.release();
  }
}

/** Parses bytes as JSON, by the rules of bodies. @throws AppError `invalid_request` */
export function parseJsonBytes(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0 || measure(bytes) === null) throw notJson();
  return parse(bytes);
}

/**
 * Parses a text by the rules of bodies (depth, number of values, no `__proto__`), keeping the digits of every number.
 * Rejects duplicate keys of an object: parsers differ in which of them counts. @throws AppError `invalid_request`
 */
export function parseStrictJson(text: string): unknown {
  const { value, hasRepeatedKey } = parseLimitedJson(text);
  if (hasRepeatedKey) {
    throw new AppError("invalid_request", "Duplicate key in a JSON object. Send each key once.");
  }
  return value;
}

/**
 * Parses JSON within the limits of a body, keeping the digits of every number. The last one of equal keys counts.
 * @throws AppError `invalid_request`
 */
export function parseLimitedJson(text: string): { value: unknown; hasRepeatedKey: boolean } {
  const size = measure(Buffer.from(text));
  if (size === null) throw notJson();
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch {
    throw notJson();
  }
  if (isHarmful(value, DEPTH_MAX)) throw notJson();
  return { value, hasRepeatedKey: membersOf(value) < size.members };
}

/** @throws AppError `unsupported_media_type` */
function requirePlain(request: Request): void {
  if (request.headers.get("content-encoding")) {
    throw new AppError("unsupported_media_type", "Content-Encoding is not supported. Send the body uncompressed.");
  }
}

/**
 * Reads a body unparsed, and counts its bytes while reading.
 * @throws AppError `too_large`, `unavailable`, `invalid_request` if it breaks off
 */
export async function readBytes(request: Request, limitBytes: number, held: HeldBody): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  const reader = request.body.getReader();
  for (let total = 0; ; ) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      // The client disconnected, or was too slow (server-limits.ts): not a fault of the server, and no one reads the
      // answer.
      throw new AppError("invalid_request", "The request body is incomplete.", { cause });
    });
    if (done) return Buffer.concat(chunks, total);
    total += value.byteLength;
    if (total > LARGE_BYTES) await pieceTurn();
    if (total <= limitBytes) {
      held.add(value.byteLength);
      chunks.push(value);
    } else {
      // Not cancelled, which would close the connection before the answer: linger.ts discards the rest.
      throw tooLarge(limitBytes);
    }
  }
}

const bodyPacer = serverMember("bodyPacer", () => new RequestPacer(PIECES_TURN_MS));

/** Waits in a queue that pieces of all large bodies share: a thousand bodies at once would otherwise fill each turn. */
function pieceTurn(): Promise<void> {
  return new Promise((resolve) => bodyPacer().enter(resolve));
}

/**
 * Counts a body's values before they are created: a list of lists takes thirty times the memory of its text. Only as
 * exact as a limit needs, and safe for text that is not JSON.
 * @returns null if it is deeper or has more values than a body may
 */
function measure(bytes: Uint8Array): { values: number; members: number } | null {
  let values = 1;
  let members = 0;
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index]) {
      case QUOTE:
        // Up to the end of the text; an escaped quote does not end it.
        for (index += 1; index < bytes.length && bytes[index] !== QUOTE; index += 1) {
          if (bytes[index] === BACKSLASH) index += 1;
        }
        break;
      case COMMA:
        values += 1;
        break;
      case COLON:
        members += 1;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values += 1;
        depth += 1;
        if (depth > DEPTH_MAX) return null;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
    }
    if (values > VALUES_MAX) return null;
  }
  return { values, members };
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Size above which bodies are measured and parsed one per turn of the event loop, so that a thousand do not block
 * others (F15).
 */
const LARGE_BYTES = 64 * 1024;

function parse(bytes: Uint8Array, keepsDigits = false): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = keepsDigits ? parseExactJson(text) : JSON.parse(text);
    if (isHarmful(value, DEPTH_MAX)) throw new RangeError();
    return value;
  } catch {
    throw notJson();
  }
}

function notJson(): AppError {
  return new AppError("invalid_request", "The body is not valid JSON.", {
    details: [
      {
        path: "",
        message: `Send one JSON value in UTF-8, at most ${DEPTH_MAX} levels deep, of at most ${VALUES_MAX} values, without a __proto__ key.`,
      },
    ],
  });
}

/**
 * Returns whether a value is too deep, or has keys that would reach an object's prototype in a merge (T58). Such a body
 * is rejected as a whole: dropping the key could turn a filter into one that matches everything.
 */
function isHarmful(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0 || Object.hasOwn(value, "__proto__")) return true;
  const maker = Object.hasOwn(value, "constructor") && (value as { constructor: unknown }).constructor;
  if (maker && typeof maker === "object" && Object.hasOwn(maker, "prototype")) return true;
  return Object.values(value).some((inner) => isHarmful(inner, levels - 1));
}

/** Counts the members of all objects. */
function membersOf(value: unknown): number {
  if (value === null || typeof value !== "object" || value instanceof ExactNumber) return 0;
  const inner = Object.values(value).reduce((sum: number, each) => sum + membersOf(each), 0);
  return Array.isArray(value) ? inner : inner + Object.keys(value).length;
}

function isJson(contentType: string | null): boolean {
  return /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");
}

function tooLarge(limitBytes: number): AppError {
  const size = limitBytes >= MIB ? `${limitBytes / MIB} MiB` : `${limitBytes / 1024} KiB`;
  return new AppError("too_large", `The body is larger than ${size}.`, { headers: { Connection: "close" } });
}
