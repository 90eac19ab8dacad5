import "server-only";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { AppError } from "@/lib/platform/http/errors";

/** Marks a request from another server, which is not forwarded again. */
const FORWARDED_HEADER = "x-millrace-forwarded";
/** Headers that identify the caller and choose the format. Origins were checked by the first server. */
const SENT_HEADERS = ["authorization", "cookie", "accept", "content-type", "x-request-id"];
/** Headers of the answer that belong to one connection, or that the first server sets itself. */
const OWN_HEADERS = new Set(["connection", "keep-alive", "transfer-encoding", "date", "set-cookie", "x-request-id"]);
const UNREACHABLE =
  "The server that holds this session can't be reached. Try again. If it has stopped, the transaction was rolled back.";
const RETRY_AFTER_SECONDS = 5;

/** Returns whether another server sent this request on. */
export function isForwarded(request: Request): boolean {
  return request.headers.has(FORWARDED_HEADER);
}

/**
 * Sends a request to the server of its session, which checks the caller again, and returns the answer as it streams.
 * @param serverUrl from the document of the session, which only servers write
 * @param body the parsed body
 * @throws AppError `unavailable` when the server does not answer; the signal's reason
 */
export async function forwardTo(
  serverUrl: string,
  request: Request,
  body: unknown,
  signal: AbortSignal,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = Object.fromEntries(
    SENT_HEADERS.flatMap((name) => {
      const value = request.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const sent = Buffer.from(JSON.stringify(body));
  const options = {
    method: request.method,
    headers: { ...headers, [FORWARDED_HEADER]: "1", "content-length": sent.length },
    signal,
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(new URL(pathname + search, serverUrl), options, resolve)
      .on("error", (cause) =>
        reject(
          signal.aborted
            ? signal.reason
            : new AppError("unavailable", UNREACHABLE, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS }),
        ),
      )
      .end(sent);
  });
  const passed = Object.entries(answer.headersDistinct).filter(([name]) => !OWN_HEADERS.has(name));
  return new Response(Readable.toWeb(answer) as ReadableStream<Uint8Array>, {
    status: answer.statusCode ?? 502,
    headers: passed.flatMap(([name, values]) => (values ?? []).map((value): [string, string] => [name, value])),
  });
}
