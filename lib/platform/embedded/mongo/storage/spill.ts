import { unlinkSync } from "node:fs";
import Database from "better-sqlite3";
import { PAUSE, type Pause, sortByTurns } from "../scheduling/flow.ts";
import { reserveFile } from "./sqlite.ts";
import type { Row } from "./store.ts";

/** Size of a run that is sorted in memory and written at once, in bytes. */
const RUN_BYTES = 16 * 1024 * 1024;
/** Bytes to read from a run at once; at least one document. */
const READ_BYTES = 256 * 1024;
const MAX_READ_ROWS = 512;
/** Rows to write before yielding to other commands. */
const ROWS_PER_TURN = 128;
/** Assumed overhead of a row beyond its bytes. */
const ROW_BYTES = 64;

type Entry = { key: Buffer; place: number; row: Row };

function compareEntries(a: Entry, b: Entry): number {
  return Buffer.compare(a.key, b.key) || a.place - b.place;
}

let lastFile = 0;

/**
 * Sorts more rows than fit in memory, by keys whose byte order is the order of the values (keys.ts). The sort is
 * stable. Rows are written in sorted runs to a temporary file and merged from there. The file is unlinked as soon as it
 * is open, so nothing remains after the process ends, not even after a crash.
 */
export class ExternalSorter {
  private readonly db: Database.Database;
  private readonly insert: Database.Statement;
  private entries: Entry[] = [];
  private bytes = 0;
  private place = 0;
  private written = 0;
  /** The last row of each run. */
  private readonly ends: number[] = [];

  /** @param storePath the store's file, beside which the temporary file is created */
  constructor(storePath: string) {
    const path = `${storePath}.sort-${process.pid}-${++lastFile}`;
    reserveFile(path);
    this.db = new Database(path);
    this.db.pragma("locking_mode = EXCLUSIVE");
    this.db.pragma("journal_mode = OFF");
    this.db.pragma("synchronous = OFF");
    this.db.exec("CREATE TABLE runs(n INTEGER PRIMARY KEY, k BLOB, p INTEGER, r INTEGER, d BLOB); BEGIN");
    unlinkSync(path);
    this.insert = this.db.prepare("INSERT INTO runs(n, k, p, r, d) VALUES (?, ?, ?, ?, ?)");
  }

  *add(key: Buffer, row: Row): Generator<Pause, void, undefined> {
    this.entries.push({ key, place: this.place++, row });
    this.bytes += key.length + row.bytes.length + ROW_BYTES;
    if (this.bytes > RUN_BYTES) yield* this.writeRun();
  }

  private *writeRun(): Generator<Pause, void, undefined> {
    const entries = yield* sortByTurns(this.entries, compareEntries);
    this.entries = [];
    this.bytes = 0;
    for (const [i, { key, place, row }] of entries.entries()) {
      this.insert.run(++this.written, key, place, row.rid, row.bytes);
      if (i % ROWS_PER_TURN === 0) yield PAUSE;
    }
    this.ends.push(this.written);
  }

  /** Yields all rows in order. */
  *sorted(): Generator<{ key: Buffer; row: Row } | Pause, void, undefined> {
    if (this.entries.length > 0) yield* this.writeRun();
    const average = this.db.prepare("SELECT AVG(LENGTH(k) + LENGTH(d)) FROM (SELECT k, d FROM runs LIMIT 1000)");
    const bytes = Number(average.pluck().get() ?? 1);
    const chunk = Math.max(1, Math.min(MAX_READ_ROWS, Math.floor(READ_BYTES / Math.max(1, bytes))));
    const heap = new Heap();
    let from = 0;
    for (const end of this.ends) {
      heap.add(new Run(this.db, from, end, chunk));
      from = end;
    }
    let given = 0;
    for (let run = heap.first; run !== undefined; run = heap.first) {
      const { key, row } = run.head as Entry;
      yield { key, row };
      run.next();
      heap.firstChanged();
      if (++given % ROWS_PER_TURN === 0) yield PAUSE;
    }
  }

  close(): void {
    this.entries = [];
    this.db.close();
  }
}

/** A sorted run, read in chunks. */
class Run {
  head: Entry | undefined;
  private readonly statement: Database.Statement;
  private readonly end: number;
  private readonly chunk: number;
  private at: number;
  private rows: Entry[] = [];
  private taken = 0;

  constructor(db: Database.Database, from: number, end: number, chunk: number) {
    this.statement = db.prepare("SELECT n, k, p, r, d FROM runs WHERE n > ? AND n <= ? ORDER BY n LIMIT ?").raw(true);
    this.at = from;
    this.end = end;
    this.chunk = chunk;
    this.next();
  }

  next(): void {
    if (this.taken === this.rows.length) {
      const found = this.statement.all(this.at, this.end, this.chunk) as [number, Buffer, number, number, Buffer][];
      this.at = found.at(-1)?.[0] ?? this.end;
      this.rows = found.map(([, key, place, rid, bytes]) => ({ key, place, row: { rid, bytes } }));
      this.taken = 0;
    }
    this.head = this.rows[this.taken];
    // Returned rows are not kept.
    if (this.head !== undefined) this.taken++;
  }
}

/** A heap of the runs by their first rows, the smallest first. */
class Heap {
  private readonly runs: Run[] = [];

  get first(): Run | undefined {
    return this.runs[0];
  }

  add(run: Run): void {
    if (run.head === undefined) return;
    this.runs.push(run);
    for (let i = this.runs.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.isBefore(i, parent)) break;
      this.swap(i, parent);
      i = parent;
    }
  }

  /** Restores the heap after the first run's next row has changed, or the run has ended. */
  firstChanged(): void {
    if (this.runs[0]?.head === undefined) {
      const last = this.runs.pop();
      if (last === undefined || this.runs.length === 0) return;
      this.runs[0] = last;
    }
    for (let i = 0; ; ) {
      let least = i;
      for (const child of [2 * i + 1, 2 * i + 2])
        if (child < this.runs.length && this.isBefore(child, least)) least = child;
      if (least === i) return;
      this.swap(i, least);
      i = least;
    }
  }

  private isBefore(a: number, b: number): boolean {
    return compareEntries(this.runs[a]?.head as Entry, this.runs[b]?.head as Entry) < 0;
  }

  private swap(a: number, b: number): void {
    [this.runs[a], this.runs[b]] = [this.runs[b] as Run, this.runs[a] as Run];
  }
}
