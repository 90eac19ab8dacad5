import { randomBytes } from "node:crypto";
import { encodeDocument } from "../bson/codec.ts";
import { type Doc, docOf, double, RawDocument, type Value } from "../bson/values.ts";
import { StoreError } from "../errors.ts";
import { type Flow, PAUSE, type Turns } from "../scheduling/flow.ts";

/** MongoDB's default size of a first batch, in documents. */
export const FIRST_BATCH = 101;
/** Maximum size of a batch. An answer must stay under 48 MB, and MongoDB stops at 16. */
const MAX_BATCH_BYTES = 16 * 1024 * 1024;
/** Time after which an unused cursor is closed, in ms (MongoDB's cursorTimeoutMillis). */
const IDLE_MS = 10 * 60 * 1000;

/** An item of a cursor: stored bytes, or a computed document. */
export type CursorItem = Buffer | Doc;

export class Cursor {
  readonly id: bigint;
  readonly namespace: string;
  /** The session that opened the cursor; the cursor ends with it. */
  readonly session: string | undefined;
  /** The transaction that the cursor reads in, as session and number. */
  readonly transaction: string | undefined;
  lastUsed = performance.now();
  isBusy = false;
  /** Remaining time limit of the command that opened the cursor, in ms. Its batches share it. */
  timeLeftMs = Number.POSITIVE_INFINITY;
  private readonly flow: Flow<CursorItem>;
  private held: RawDocument | undefined;
  private isDone = false;

  constructor(
    id: bigint,
    namespace: string,
    flow: Flow<CursorItem>,
    session: string | undefined,
    transaction: string | undefined,
  ) {
    this.id = id;
    this.namespace = namespace;
    this.flow = flow;
    this.session = session;
    this.transaction = transaction;
  }

  /** True when all documents were returned. */
  get isExhausted(): boolean {
    return this.isDone && this.held === undefined;
  }

  /** @param most number of documents; undefined: as many as fit */
  async batch(most: number | undefined, turns: Turns): Promise<Value[]> {
    const documents: Value[] = [];
    let bytes = 0;
    const fits = (document: RawDocument): boolean =>
      documents.length === 0 || bytes + document.bytes.length <= MAX_BATCH_BYTES;
    const take = (document: RawDocument): void => {
      documents.push(document);
      bytes += document.bytes.length + 8;
    };
    if (most === 0) return documents;
    if (this.held !== undefined) {
      take(this.held);
      this.held = undefined;
    }
    while (!this.isDone && (most === undefined || documents.length < most)) {
      const { value, done } = this.flow.next();
      if (done) {
        this.isDone = true;
        break;
      }
      if (value === PAUSE) {
        await turns.pause();
        continue;
      }
      const document = new RawDocument(Buffer.isBuffer(value) ? value : encodeDocument(value));
      if (!fits(document)) {
        this.held = document;
        break;
      }
      take(document);
    }
    return documents;
  }

  /** Reads one document ahead, so that an exhausted cursor is not kept open. */
  async peek(turns: Turns): Promise<void> {
    if (this.held !== undefined || this.isDone) return;
    for (;;) {
      const { value, done } = this.flow.next();
      if (done) {
        this.isDone = true;
        return;
      }
      if (value === PAUSE) await turns.pause();
      else {
        this.held = new RawDocument(Buffer.isBuffer(value) ? value : encodeDocument(value));
        return;
      }
    }
  }

  close(): void {
    this.isDone = true;
    this.held = undefined;
    this.flow.return();
  }
}

export class Cursors {
  private readonly open = new Map<bigint, Cursor>();

  get size(): number {
    return this.open.size;
  }

  create(
    namespace: string,
    flow: Flow<CursorItem>,
    session: string | undefined,
    transaction: string | undefined,
  ): Cursor {
    let id: bigint;
    do id = randomBytes(8).readBigUInt64LE() >> 1n;
    while (id === 0n || this.open.has(id));
    return new Cursor(id, namespace, flow, session, transaction);
  }

  keep(cursor: Cursor): void {
    cursor.lastUsed = performance.now();
    this.open.set(cursor.id, cursor);
  }

  /** @throws StoreError CursorNotFound, CursorInUse, or Unauthorized when another namespace or session opened it */
  get(id: bigint, namespace: string, session: string | undefined): Cursor {
    const cursor = this.open.get(id);
    if (cursor === undefined) throw new StoreError("CursorNotFound", `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new StoreError(
        "Unauthorized",
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    if (cursor.session !== undefined && session !== undefined && cursor.session !== session) {
      throw new StoreError(50737, `Cannot run getMore on cursor ${id}, which was created in another session`);
    }
    if (cursor.isBusy) throw new StoreError("CursorInUse", `cursor id ${id} is already in use`);
    return cursor;
  }

  kill(id: bigint): boolean {
    const cursor = this.open.get(id);
    if (cursor === undefined) return false;
    this.open.delete(id);
    cursor.close();
    return true;
  }

  killOf(test: (cursor: Cursor) => boolean): void {
    for (const cursor of [...this.open.values()]) if (test(cursor)) this.kill(cursor.id);
  }

  sweep(): void {
    const now = performance.now();
    this.killOf((cursor) => !cursor.isBusy && now - cursor.lastUsed > IDLE_MS);
  }
}

/** Returns a cursor's first batch, and stores the cursor when it has more. */
export async function answerCursor(
  cursors: Cursors,
  cursor: Cursor,
  batchSize: number | undefined,
  turns: Turns,
  isSingleBatch = false,
): Promise<Doc> {
  let isKept = false;
  try {
    const firstBatch = await cursor.batch(batchSize ?? FIRST_BATCH, turns);
    if (!isSingleBatch && batchSize !== 0) await cursor.peek(turns);
    isKept = !isSingleBatch && !cursor.isExhausted;
    cursor.timeLeftMs = turns.deadline.left();
    if (isKept) cursors.keep(cursor);
    return docOf({
      cursor: docOf({ firstBatch, id: isKept ? cursor.id : 0n, ns: cursor.namespace }),
      ok: double(1),
    });
  } finally {
    if (!isKept) cursor.close();
  }
}
