import { createStore } from "zustand/vanilla";
import type { ChartData } from "@/lib/base/charts/data";
import type { Summed } from "@/lib/base/values/exact-sum";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import { type Arrangement, arrangeNow, isPlain, PLAIN } from "@/lib/features/results/browser/arrangement";
import { type ColumnStats, toColumnStats } from "@/lib/features/results/browser/column-stats";
import { type FindAsk, type Found, findCells } from "@/lib/features/results/browser/find-rows";
import { chartRows, copyRows, sumRows } from "@/lib/features/results/browser/held-rows";
import { type PivotAsk, type PivotRows, toPivotRows } from "@/lib/features/results/browser/pivot-rows";
import { type CellTable, ObjectTable } from "@/lib/features/results/browser/row-table";
import { countShown, type ShownRows, toTableRow } from "@/lib/features/results/browser/shown-rows";
import { WorkerClient } from "@/lib/features/results/browser/worker-client";
import type { ChartAsk, CopyAsk } from "@/lib/features/results/browser/worker-messages";

/**
 * The rows of a result for a view, numbered as shown, after sorting and filtering. `version` changes with every visible
 * change.
 */
export interface RowsSource {
  readonly fields: readonly ResultField[];
  /** Number of rows before the filter; `count` is the number after it. */
  readonly total: number;
  readonly count: number;
  readonly version: number;
  readonly arrangement: Arrangement;
  /** A new order is being computed; the rows are still in the previous one. */
  readonly isArranging: boolean;
  subscribe(listener: () => void): () => void;
  /** @returns undefined for a row that is not loaded: `want` loads it */
  cell(row: number, column: number): CellValue | undefined;
  /** Changes with a row's cells: with another order, and when the row arrives. */
  edition(row: number): number;
  /** Loads the rows from..to, excluding `to`. @param isSeen false for rows near the visible ones */
  want(from: number, to: number, isSeen?: boolean): void;
  arrange(arrangement: Arrangement): void;
  /** @returns null when some rows are not loaded: use `copy` then */
  copyNow(ask: CopyAsk): string | null;
  copy(ask: CopyAsk): Promise<string>;
  sum(columns: number[], from: number, to: number): Promise<Summed | null>;
  /** Maximum number of summed cells, so that the selection keeps up with the pointer. */
  readonly summedCellsMax: number;
  chart(ask: ChartAsk): Promise<ChartData>;
  /** Computes the statistics of a column over the shown rows that are loaded. */
  stats(column: number): Promise<ColumnStats>;
  /** Groups the shown rows that are loaded. */
  pivot(ask: PivotAsk): Promise<PivotRows>;
  /** Finds cells in the shown rows that are loaded. @returns "stale" when another search began */
  find(ask: FindAsk): Promise<Found | "stale">;
  /** The first rows, which determine widths and kinds. */
  readonly sample: CellTable;
  /** Returns how a row is marked; null for an ordinary one. Its edition changes with its mark. */
  mark?(row: number): RowMark | null;
  close(): void;
}

/** Mark of a row in the grid. `sign` replaces its number. */
export type RowMark = { className: string; sign: string | null; cell(column: number): CellMark | null };
/** Mark of a cell in the grid, with its earlier value if it has one. `substitute`: word in place of a value that the database sets. */
export type CellMark = { className: string; was?: CellValue; substitute?: string | undefined };

/** Larger results are sorted and filtered in a worker. */
const OWN_ROWS_MAX = 2000;

/** Base of all sources: notifies listeners of changes. */
export abstract class Source {
  version = 0;
  arrangement: Arrangement = PLAIN;
  isArranging = false;
  #searches = 0;
  readonly #changes = createStore(() => 0);

  readonly subscribe = this.#changes.subscribe;

  protected changed(): void {
    this.version += 1;
    this.#changes.setState((count) => count + 1);
  }

  /** Searches rows of this page, until another search begins. */
  protected async findIn(shown: ShownRows, ask: FindAsk): Promise<Found | "stale"> {
    this.#searches += 1;
    const mine = this.#searches;
    return (await findCells(shown, ask, () => mine !== this.#searches)) ?? "stale";
  }
}

/** The rows of a JSON response, all in memory; a worker sorts and filters them when they are many. */
export class AnswerRows extends Source implements RowsSource {
  readonly sample: CellTable;
  readonly summedCellsMax = 100_000;
  #shown: ShownRows;
  #worker: WorkerClient | null = null;

  constructor(
    readonly fields: ResultField[],
    private readonly rows: ResultRow[],
  ) {
    super();
    const table = new ObjectTable(fields, rows);
    this.sample = table;
    this.#shown = { table, order: null };
  }

  get total(): number {
    return this.rows.length;
  }

  get count(): number {
    return countShown(this.#shown);
  }

  cell(row: number, column: number): CellValue | undefined {
    return this.#shown.table.at(toTableRow(this.#shown, row), column);
  }

  edition(): number {
    return this.version;
  }

  want(): void {}

  arrange(arrangement: Arrangement): void {
    this.arrangement = arrangement;
    if (this.rows.length <= OWN_ROWS_MAX || isPlain(arrangement)) {
      this.#show(arrangeNow(this.#shown.table, arrangement));
      return;
    }
    this.isArranging = true;
    this.changed();
    const worker = this.#openWorker();
    worker.ask("arrange", { arrangement, isOrderWanted: true }).then(
      (answer) => answer !== "stale" && this.arrangement === arrangement && this.#show(answer.order),
      // Without a worker it takes longer, with the same result.
      () => this.arrangement === arrangement && this.#show(arrangeNow(this.#shown.table, arrangement)),
    );
  }

  copyNow(ask: CopyAsk): string {
    return copyRows(this.#shown, ask);
  }

  async copy(ask: CopyAsk): Promise<string> {
    return copyRows(this.#shown, ask);
  }

  async sum(columns: number[], from: number, to: number) {
    return sumRows(this.#shown, columns, from, to);
  }

  async chart(ask: ChartAsk): Promise<ChartData> {
    return chartRows(this.#shown, ask);
  }

  stats(column: number) {
    return toColumnStats(this.#shown, column);
  }

  pivot(ask: PivotAsk) {
    return toPivotRows(this.#shown, ask);
  }

  find(ask: FindAsk) {
    return this.findIn(this.#shown, ask);
  }

  close(): void {
    this.#worker?.close();
    this.#worker = null;
  }

  #openWorker(): WorkerClient {
    if (this.#worker === null) {
      this.#worker = new WorkerClient();
      void this.#worker.ask("adopt", { fields: this.fields, rows: this.rows }).catch(() => {});
    }
    return this.#worker;
  }

  #show(order: Uint32Array | null): void {
    this.#shown = { ...this.#shown, order };
    this.isArranging = false;
    this.changed();
  }
}

/** Rows per block fetched from the worker, and maximum number of cached blocks. */
const BLOCK_ROWS = 64;
const BLOCKS_MAX = 128;

/** All rows of a result, held by a worker. */
export class LoadedRows extends Source implements RowsSource {
  count: number;
  readonly summedCellsMax = 50_000_000;
  #blocks = new Map<number, CellValue[][]>();
  #asked = new Set<number>();
  /** Incremented with each order: blocks requested before are dropped. */
  #epoch = 0;
  #isShowing = false;

  constructor(
    readonly fields: ResultField[],
    readonly total: number,
    readonly sample: CellTable,
    private readonly worker: WorkerClient,
  ) {
    super();
    this.count = total;
  }

  cell(row: number, column: number): CellValue | undefined {
    return this.#blocks.get(Math.floor(row / BLOCK_ROWS))?.[row % BLOCK_ROWS]?.[column];
  }

  edition(row: number): number {
    return 2 * this.#epoch + Number(this.#blocks.has(Math.floor(row / BLOCK_ROWS)));
  }

  want(from: number, to: number): void {
    const last = Math.floor(Math.max(from, Math.min(to, this.count) - 1) / BLOCK_ROWS);
    for (let block = Math.floor(from / BLOCK_ROWS); block <= last; block += 1) {
      const near = this.#blocks.get(block);
      if (near !== undefined) {
        // Move it to the end: the blocks unseen for longest are dropped first.
        this.#blocks.delete(block);
        this.#blocks.set(block, near);
      } else if (!this.#asked.has(block)) this.#fetch(block);
    }
  }

  arrange(arrangement: Arrangement): void {
    this.arrangement = arrangement;
    this.isArranging = true;
    this.changed();
    this.worker.ask("arrange", { arrangement, isOrderWanted: false }).then(
      (answer) => {
        if (answer === "stale" || this.arrangement !== arrangement) return;
        this.#epoch += 1;
        this.#blocks.clear();
        this.#asked.clear();
        this.count = answer.count;
        this.isArranging = false;
        this.changed();
      },
      () => {
        this.isArranging = false;
        this.changed();
      },
    );
  }

  copyNow(ask: CopyAsk): string | null {
    const rows: ResultRow[] = [];
    for (let row = ask.from; row < ask.to; row += 1) {
      const cells = this.#blocks.get(Math.floor(row / BLOCK_ROWS))?.[row % BLOCK_ROWS];
      if (cells === undefined) return null;
      rows.push(Object.fromEntries(this.fields.map(({ name }, i): [string, CellValue] => [name, cells[i] ?? null])));
    }
    const table = new ObjectTable(this.fields, rows);
    return copyRows({ table, order: null }, { ...ask, from: 0, to: rows.length });
  }

  copy(ask: CopyAsk): Promise<string> {
    return this.worker.ask("copy", ask);
  }

  sum(columns: number[], from: number, to: number) {
    return this.worker.ask("sum", { columns, from, to });
  }

  chart(ask: ChartAsk): Promise<ChartData> {
    return this.worker.ask("chart", ask);
  }

  stats(column: number) {
    return this.worker.ask("stats", { column });
  }

  pivot(ask: PivotAsk) {
    return this.worker.ask("pivot", ask);
  }

  find(ask: FindAsk) {
    return this.worker.ask("find", ask);
  }

  close(): void {
    this.worker.close();
  }

  /** Draws blocks that arrive together in one frame. */
  #showSoon(): void {
    if (this.#isShowing) return;
    this.#isShowing = true;
    requestAnimationFrame(() => {
      this.#isShowing = false;
      this.changed();
    });
  }

  #fetch(block: number): void {
    const epoch = this.#epoch;
    this.#asked.add(block);
    const from = block * BLOCK_ROWS;
    this.worker.ask("rows", { from, to: from + BLOCK_ROWS }).then(
      (rows) => {
        if (epoch !== this.#epoch) return;
        this.#asked.delete(block);
        this.#blocks.set(block, rows);
        for (const oldest of this.#blocks.keys()) {
          if (this.#blocks.size <= BLOCKS_MAX) break;
          this.#blocks.delete(oldest);
        }
        this.#showSoon();
      },
      () => this.#asked.delete(block),
    );
  }
}
