import { AppError } from "./errors";

const MIB = 1024 * 1024;
/** docs/api.md, Common rules; T104. */
export const BODY_LIMITS = { auth: 16 * 1024, json: MIB, chat: 8 * MIB } as const;
export type BodyLimit = keyof typeof BODY_LIMITS;

/** What is read and thrown away of a body that is too large, so that its sender hears why. Far less than a flood. */
const DISCARD_BYTES_MAX = 16 * MIB;
const DISCARD_MS_MAX = 5_000;
/** Deeper than any body of ours, and far from where recursion hurts (T72). */
const DEPTH_MAX = 64;

/**
 * Reads and parses a JSON body, counting while reading.
 * @returns undefined for an empty body
 * @throws AppError `too_large`, `unsupported_media_type`, `invalid_request`
 */
export async function readJson(
  request: Request,
  limitBytes: number,
  options: { demandJsonType: boolean },
): Promise<unknown> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  if (request.headers.get("content-encoding")) {
    throw new AppError("unsupported_media_type", "Send the body as it is, without a Content-Encoding.");
  }
  const bytes = await readBytes(request, limitBytes);
  if (bytes.byteLength === 0) return undefined;
  if (options.demandJsonType && !isJson(request.headers.get("content-type"))) {
    throw new AppError("unsupported_media_type", "Send JSON, with Content-Type: application/json.");
  }
  return parse(bytes);
}

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  const reader = request.body.getReader();
  for (let total = 0; ; ) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      // The client has left, or was too slow (server-limits.ts): no fault of ours, and nobody reads the answer.
      throw new AppError("invalid_request", "The body broke off before its end.", { cause });
    });
    if (done) return Buffer.concat(chunks, total);
    total += value.byteLength;
    if (total <= limitBytes) chunks.push(value);
    else {
      await discard(reader);
      throw tooLarge(limitBytes);
    }
  }
}

/**
 * Reads on without keeping anything, for a while: a client that is still sending would see its connection reset
 * before it could read the answer.
 */
async function discard(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUpAt = performance.now() + DISCARD_MS_MAX;
  for (let discarded = 0; discarded < DISCARD_BYTES_MAX && performance.now() < giveUpAt; ) {
    const { done, value } = await reader.read();
    if (done) return;
    discarded += value.byteLength;
  }
  await reader.cancel();
}

function parse(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (isHarmful(value, DEPTH_MAX)) throw new RangeError();
    return value;
  } catch {
    throw new AppError("invalid_request", "The body is not valid JSON.", {
      details: [
        {
          path: "",
          message: `Send one JSON value in UTF-8, at most ${DEPTH_MAX} levels deep, without a __proto__ key.`,
        },
      ],
    });
  }
}

/**
 * Whether a value is deeper than it may be, or has keys that would reach an object's prototype when somebody merges
 * it (T58). Such a body is refused whole: dropping the key could turn a filter into one that matches everything.
 */
function isHarmful(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return false;
  if (levels === 0 || Object.hasOwn(value, "__proto__")) return true;
  const maker = Object.hasOwn(value, "constructor") && (value as { constructor: unknown }).constructor;
  if (maker && typeof maker === "object" && Object.hasOwn(maker, "prototype")) return true;
  return Object.values(value).some((inner) => isHarmful(inner, levels - 1));
}

function isJson(contentType: string | null): boolean {
  return /^application\/(?:[a-z0-9.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? "");
}

function tooLarge(limitBytes: number): AppError {
  const size = limitBytes >= MIB ? `${limitBytes / MIB} MiB` : `${limitBytes / 1024} KiB`;
  return new AppError("too_large", `The body is larger than ${size}.`, { headers: { Connection: "close" } });
}
