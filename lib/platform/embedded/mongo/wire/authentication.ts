import { setTimeout as delay } from "node:timers/promises";
import { Binary, type Doc, docOf, double, isDoc, isTruthy, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { type Credentials, ScramConversation } from "./scram.ts";

export const MECHANISM = "SCRAM-SHA-256";
/** Database of the one user, and the default of authSource. */
export const USER_DB = "admin";
/** Failed attempts that are free, over all connections, and how many more are allowed per second. */
const FREE_GUESSES = 20;
const GUESSES_A_SECOND = 5;
/** Maximum attempts in the queue. Further ones are rejected without a check. */
const MAX_WAITING = 100;

/**
 * Limits the rate of password guesses. Every attempt waits in the queue, a correct one too: otherwise a client without
 * an immediate answer would know that its password is wrong. A correct one does not count against the limit.
 */
export class GuessLimit {
  private readonly now: () => number;
  private left = FREE_GUESSES;
  private at: number;

  /** @param now a clock in ms */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
    this.at = now();
  }

  /** @returns time that the attempt has to wait, in ms; undefined when too many are waiting */
  take(): number | undefined {
    const now = this.now();
    this.left = Math.min(FREE_GUESSES, this.left + ((now - this.at) / 1000) * GUESSES_A_SECOND);
    this.at = now;
    if (this.left - 1 < -MAX_WAITING) return undefined;
    this.left -= 1;
    return this.left >= 0 ? 0 : (-this.left / GUESSES_A_SECOND) * 1000;
  }

  giveBack(): void {
    this.left += 1;
  }
}

function failed(): StoreError {
  return new StoreError("AuthenticationFailed", "Authentication failed.");
}

/** Authentication state of one connection. Without a user until the client has signed in, if sign-in is required. */
export class Authentication {
  /** Undefined when no sign-in is required: on a socket that only the owner can reach. */
  private readonly credentials: Credentials | undefined;
  private readonly limit: GuessLimit;
  private conversation: { scram: ScramConversation; skipsEmpty: boolean; isProven: boolean } | undefined;
  private lastId = 0;
  user: string | undefined;

  constructor(credentials: Credentials | undefined, limit: GuessLimit) {
    this.credentials = credentials;
    this.limit = limit;
  }

  get isRequired(): boolean {
    return this.credentials !== undefined;
  }

  get isDone(): boolean {
    return this.credentials === undefined || this.user !== undefined;
  }

  /** @throws StoreError AuthenticationFailed */
  start(db: string, command: Doc): Doc {
    this.conversation = undefined;
    const mechanism = command.get("mechanism");
    if (this.credentials === undefined) throw failed();
    if (mechanism !== MECHANISM)
      throw new StoreError(
        "MechanismUnavailable",
        `Received authentication for mechanism ${String(mechanism)} which is not enabled. Use ${MECHANISM}.`,
      );
    const scram =
      db === USER_DB ? ScramConversation.begin(this.credentials, textOf(command.get("payload"))) : undefined;
    if (scram === undefined) throw failed();
    const options = command.get("options");
    const skipsEmpty = isDoc(options) && isTruthy(options.get("skipEmptyExchange"));
    this.conversation = { scram, skipsEmpty, isProven: false };
    this.lastId++;
    return this.answer(scram.serverFirst, false);
  }

  /** Like `start`, but within a hello: an invalid request is ignored, and the client signs in as usual. */
  startWithin(request: Value | undefined): Doc | undefined {
    if (!isDoc(request) || this.credentials === undefined) return undefined;
    try {
      const { ok: _ok, ...answer } = Object.fromEntries(this.start(String(request.get("db")), request));
      return docOf(answer);
    } catch (error) {
      if (error instanceof StoreError) return undefined;
      throw error;
    }
  }

  /** @throws StoreError AuthenticationFailed, after a delay when there were many failures */
  async continue(command: Doc): Promise<Doc> {
    const { conversation } = this;
    if (conversation === undefined || command.get("conversationId") !== this.lastId)
      throw new StoreError("ProtocolError", "No SASL session state found");
    if (conversation.isProven) return this.finish("");
    this.conversation = undefined;
    const wait = this.limit.take();
    if (wait === undefined) throw failed();
    if (wait > 0) await delay(wait);
    const last = conversation.scram.finish(textOf(command.get("payload")));
    if (last === undefined) throw failed();
    this.limit.giveBack();
    conversation.isProven = true;
    if (conversation.skipsEmpty) return this.finish(last);
    this.conversation = conversation;
    return this.answer(last, false);
  }

  private finish(payload: string): Doc {
    this.conversation = undefined;
    this.user = this.credentials?.user;
    return this.answer(payload, true);
  }

  private answer(payload: string, isDone: boolean): Doc {
    return docOf({
      conversationId: this.lastId,
      done: isDone,
      payload: new Binary(Buffer.from(payload)),
      ok: double(1),
    });
  }
}

function textOf(payload: Value | undefined): string {
  if (typeof payload === "string") return Buffer.from(payload, "base64").toString();
  return payload instanceof Binary ? Buffer.from(payload.buffer.subarray(0, payload.position)).toString() : "";
}
