import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "./errors.ts";
import { type Credentials, ScramConversation } from "./scram.ts";
import { Binary, type Doc, docOf, double, isDoc, isTruthy, type Value } from "./values.ts";

export const MECHANISM = "SCRAM-SHA-256";
/** Where the one user is, and what authSource is by default. */
export const USER_DB = "admin";
/** Failed attempts of all connections together that are free, and how many more a second may follow. */
const FREE_GUESSES = 20;
const GUESSES_A_SECOND = 5;
/** Attempts that wait for their turn; the next is refused unseen. */
const MAX_WAITING = 100;

/**
 * Slows guessing down. An attempt is looked at when it has its turn, a right one too: otherwise whoever hears nothing at
 * once would know that it was wrong. A right one costs nothing.
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

  /** @returns how long the attempt has to wait, ms; undefined when too many wait already */
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

/** Who the client of one connection is; nobody before it has signed in, where that is asked for. */
export class Authentication {
  /** Undefined where everybody may in: on a socket that only the owner can reach. */
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

  /** As `start`, within a hello: what cannot be is left out, and the client begins as usual. */
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

  /** @throws StoreError AuthenticationFailed, after a while when there were many */
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
