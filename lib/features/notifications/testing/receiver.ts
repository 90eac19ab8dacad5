import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { startLocalServer } from "@/test/security/local-server";

export type Hit = { path: string; headers: Record<string, string>; raw: Buffer };
export type Answer = (request: IncomingMessage, response: ServerResponse, hits: number) => void;

export type Receiver = { url: string; hits: Hit[]; answer: Answer; close: () => Promise<void> };

const accept: Answer = (_, response) => void response.writeHead(200).end("ok");

/** Somebody's endpoint: it keeps what it gets, byte for byte, and answers as it is told. */
export async function startReceiver(answer: Answer = accept): Promise<Receiver> {
  const server = await startLocalServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.once("end", () => {
      receiver.hits.push({
        path: request.url ?? "",
        headers: toPlain(request.headers),
        raw: Buffer.concat(chunks),
      });
      receiver.answer(request, response, receiver.hits.length);
    });
  });
  const receiver: Receiver = { url: server.url, hits: [], answer, close: server.close };
  return receiver;
}

export function answerWith(status: number, headers: Record<string, string> = {}, body = ""): Answer {
  return (_, response) => void response.writeHead(status, headers).end(body);
}

function toPlain(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
