import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Doc, docOf, double, isDoc, ObjectId, toWholeNumber } from "../bson/values.ts";
import { topologyVersion } from "../commands/admin.ts";
import type { Client, Services } from "../commands/context.ts";
import { StoreError } from "../errors.ts";
import { Authentication } from "./authentication.ts";
import { dispatch } from "./dispatch.ts";
import { encodeAnswer, lastAnswerId, MAX_MESSAGE_BYTES, MessageSplitter, parseMessage, type Request } from "./wire.ts";

/** Maximum size of a message before the client has signed in, in bytes. A hello is far smaller. */
const MAX_STRANGER_BYTES = 64 * 1024;

let lastConnection = 0;

/** A client's connection. Messages are answered one after another, in order. */
export class Connection implements Client {
  readonly id = ++lastConnection;
  isClosed = false;
  private readonly socket: Socket;
  private readonly services: Services;
  private readonly splitter = new MessageSplitter();
  private readonly waiting: Buffer[] = [];
  private isRunning = false;
  private readonly gone = new AbortController();
  readonly authentication: Authentication;

  constructor(socket: Socket, services: Services) {
    this.socket = socket;
    this.services = services;
    this.authentication = new Authentication(services.credentials, services.guesses);
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("error", () => this.socket.destroy());
    socket.on("close", () => this.close());
  }

  private close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.gone.abort();
  }

  /** Closes the connection from this side. */
  destroy(): void {
    this.socket.destroy();
    this.close();
  }

  private receive(chunk: Buffer): void {
    try {
      for (const message of this.splitter.push(
        chunk,
        this.authentication.isDone ? MAX_MESSAGE_BYTES : MAX_STRANGER_BYTES,
      ))
        this.waiting.push(message);
    } catch {
      // The boundaries of the next messages are unknown, so the connection is closed.
      this.destroy();
      return;
    }
    // Applies backpressure to a client that sends faster than it is answered.
    if (this.waiting.length > 1) this.socket.pause();
    if (!this.isRunning) void this.run();
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    try {
      for (;;) {
        const message = this.waiting.shift();
        if (message === undefined || this.isClosed) break;
        await this.answer(message);
        if (this.waiting.length < 2 && this.socket.isPaused()) this.socket.resume();
      }
    } catch {
      this.destroy();
    } finally {
      this.isRunning = false;
    }
  }

  private async answer(message: Buffer): Promise<void> {
    let request: Request;
    try {
      request = parseMessage(message);
    } catch (error) {
      if (!(error instanceof StoreError) || error.codeName === "ProtocolError") throw error;
      request = {
        id: message.readInt32LE(4),
        body: new Map(),
        wantsAnswer: true,
        exhaustAllowed: false,
        isLegacy: false,
      };
      await this.send(refusal(error), request, false);
      return;
    }
    if (isAwaitedHello(request.body)) {
      await this.watch(request);
      return;
    }
    const answer = await dispatch(this.services, this, request.body);
    if (request.wantsAnswer) await this.send(answer, request, false);
  }

  private encode(answer: Doc, request: Request, moreToCome: boolean): Buffer {
    try {
      return encodeAnswer(answer, request, moreToCome);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return encodeAnswer(refusal(error), request, moreToCome);
    }
  }

  private send(answer: Doc, request: Request, moreToCome: boolean): Promise<void> {
    if (this.isClosed) return Promise.resolve();
    const bytes = this.encode(answer, request, moreToCome);
    if (this.socket.write(bytes)) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.socket.off("drain", done);
        this.socket.off("close", done);
        resolve();
      };
      this.socket.on("drain", done);
      this.socket.on("close", done);
    });
  }

  /**
   * Answers the driver's monitor, which asks to be notified of topology changes, at the latest after maxAwaitTimeMS.
   * This topology never changes, so the answer waits for the full time. With `exhaustAllowed`, one request is answered
   * repeatedly.
   */
  private async watch(request: Request): Promise<void> {
    const wait = toWholeNumber(request.body.get("maxAwaitTimeMS")) ?? 0;
    let current = request;
    for (;;) {
      if (isCurrent(request.body)) {
        await delay(wait, undefined, { signal: this.gone.signal, ref: false }).catch(() => undefined);
      }
      if (this.isClosed) return;
      const answer = await dispatch(this.services, this, request.body);
      await this.send(answer, current, request.exhaustAllowed);
      if (!request.exhaustAllowed || this.waiting.length > 0) return;
      // Each answer of the stream replies to the previous one.
      current = { ...request, id: lastAnswerId() };
      request.body.set("topologyVersion", topologyVersion());
    }
  }
}

function refusal({ code, codeName, message }: StoreError): Doc {
  return docOf({ ok: double(0), errmsg: message, code, codeName });
}

function isAwaitedHello(body: Doc): boolean {
  const name = body.keys().next().value;
  const isHello = name === "hello" || name === "ismaster" || name === "isMaster";
  return isHello && body.has("topologyVersion") && body.has("maxAwaitTimeMS");
}

/** Returns true when the client knows the current topology, so that there is nothing to report yet. */
function isCurrent(body: Doc): boolean {
  const known = body.get("topologyVersion");
  if (!isDoc(known)) return false;
  const process = known.get("processId");
  const present = topologyVersion().get("processId");
  return (
    process instanceof ObjectId && present instanceof ObjectId && process.equals(present) && known.get("counter") === 0n
  );
}
