import "server-only";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { HeldBody, readBytes } from "@/lib/platform/http/body";
import { AppError } from "@/lib/platform/http/errors";
import { streamed } from "./answer";
import { type GitCaller, gitRoute } from "./entry";
import { MAX_PACK_BYTES } from "./limits";
import { parsePush } from "./push-request";
import { advertiseReceive, receivePack, requireWriter } from "./receive-pack";
import type { GitReader } from "./refs";
import { advertiseUpload, refuseOldUpload, uploadPack } from "./upload-pack";

const UPLOAD = "git-upload-pack";
const RECEIVE = "git-receive-pack";
/** Enough for many times the sixteen thousand commits that a client may list. */
const QUESTION_BYTES_MAX = 4 * 1024 * 1024;
/** A pack, and the commands before it. */
const PUSH_BYTES_MAX = MAX_PACK_BYTES + 64 * 1024;
/** Up to this size, a push over its limit is read to its end, so that git shows the reason. */
const DISCARDED_BYTES_MAX = 1024 * 1024 * 1024;
const GZIP = new Set(["gzip", "x-gzip"]);

const inflate = promisify(gunzip);

/** Returns the server's capabilities, which a client requests first. */
export const getInfoRefs = gitRoute(async (caller, request) => {
  const { searchParams } = new URL(request.url);
  const service = searchParams.get("service");
  if (service === RECEIVE) {
    requireWriter(caller);
    return bytesOf(await advertiseReceive(caller), `application/x-${service}-advertisement`);
  }
  if (service !== UPLOAD) throw new AppError("not_found", "Only the smart HTTP protocol is supported.");
  const body = speaksVersion2(request) ? advertiseUpload() : refuseOldUpload();
  return bytesOf(body, `application/x-${service}-advertisement`);
});

/** Serves branches and packs for clones and fetches. */
export const postUploadPack = gitRoute(async (caller, request) => {
  demandType(request, UPLOAD);
  if (!speaksVersion2(request)) throw new AppError("invalid_request", "Use git protocol version 2.");
  const held = new HeldBody();
  try {
    const message = await messageOf(request, QUESTION_BYTES_MAX, held);
    // An invalid message is refused before the response starts.
    const pieces = (signal: AbortSignal) => uploadPack(toReader(caller), message, signal);
    return new Response(streamed(pieces, request.signal), {
      headers: { "Content-Type": `application/x-${UPLOAD}-result` },
    });
  } finally {
    held.release();
  }
});

/** Receives pushes; each is validated completely before a branch moves. */
export const postReceivePack = gitRoute(async (caller, request) => {
  requireWriter(caller);
  demandType(request, RECEIVE);
  const type = `application/x-${RECEIVE}-result`;
  const held = new HeldBody();
  try {
    const { message, isTooLarge } = await pushOf(request, held);
    const push = parsePush(message);
    if (!push) {
      held.release();
      return bytesOf(Buffer.alloc(0), type);
    }
    const pieces = async function* (signal: AbortSignal): AsyncGenerator<Buffer, void> {
      try {
        yield* receivePack(caller, { ...push, isTooLarge }, signal);
      } finally {
        held.release();
      }
    };
    return new Response(streamed(pieces, request.signal), { headers: { "Content-Type": type } });
  } catch (error) {
    held.release();
    throw error;
  }
});

/** Responds to any other path below a repository. */
export const getNothing = gitRoute(() => {
  throw new AppError("not_found", "Not found. Clone with git.");
});

function toReader({ workspaceId, user }: GitCaller): GitReader {
  return { workspaceId, userId: user._id };
}

function speaksVersion2(request: Request): boolean {
  return (request.headers.get("git-protocol") ?? "").split(":").includes("version=2");
}

function demandType(request: Request, service: string): void {
  if (request.headers.get("content-type") === `application/x-${service}-request`) return;
  throw new AppError("unsupported_media_type", `Send application/x-${service}-request.`);
}

/**
 * Returns the body of a push. One over its limit is still read to its end, up to a bound, and discarded: git reads the
 * response only after it has sent everything.
 */
async function pushOf(request: Request, held: HeldBody): Promise<{ message: Buffer; isTooLarge: boolean }> {
  if (request.headers.has("content-encoding")) {
    // Git compresses only small pushes.
    return { message: await messageOf(request, QUESTION_BYTES_MAX, held), isTooLarge: false };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  if (request.body) {
    for await (const chunk of request.body) {
      bytes += chunk.byteLength;
      if (bytes > DISCARDED_BYTES_MAX) throw new AppError("too_large", "The push is too large. Push in parts.");
      if (bytes > PUSH_BYTES_MAX) continue;
      held.add(chunk.byteLength);
      chunks.push(chunk);
    }
  }
  return { message: Buffer.concat(chunks), isTooLarge: bytes > PUSH_BYTES_MAX };
}

function bytesOf(body: Buffer, type: string): Response {
  return new Response(new Uint8Array(body), { headers: { "Content-Type": type } });
}

/** Returns the body, decompressed if needed, with one limit for both forms. */
async function messageOf(request: Request, limitBytes: number, held: HeldBody): Promise<Buffer> {
  const bytes = await readBytes(request, limitBytes, held);
  const encoding = request.headers.get("content-encoding");
  if (encoding === null || encoding === "identity")
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!GZIP.has(encoding)) throw new AppError("unsupported_media_type", "Only gzip Content-Encoding is supported.");
  try {
    return await inflate(bytes, { maxOutputLength: limitBytes });
  } catch (cause) {
    throw (cause as { code?: string }).code === "ERR_BUFFER_TOO_LARGE"
      ? new AppError("too_large", "The request is too large.", { cause })
      : new AppError("invalid_request", "The body does not match its Content-Encoding.", { cause });
  }
}
