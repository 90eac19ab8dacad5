import type { ChartData } from "@/lib/base/charts/data";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { TablePage, TableRowsAsk } from "@/lib/features/query/browser/api";
import { type Arrangement, PLAIN } from "@/lib/features/results/browser/arrangement";
import { toColumnStats } from "@/lib/features/results/browser/column-stats";
import type { FindAsk } from "@/lib/features/results/browser/find-rows";
import { chartRows, copyRows, sumRows } from "@/lib/features/results/browser/held-rows";
import { type PivotAsk, toPivotRows } from "@/lib/features/results/browser/pivot-rows";
import { type CellTable, ObjectTable } from "@/lib/features/results/browser/row-table";
import { type RowsSource, Source } from "@/lib/features/results/browser/rows-source";
import { NAMED_PLAIN, type NamedArrangement } from "@/lib/features/results/browser/table-address";
import type { ChartAsk, CopyAsk } from "@/lib/features/results/browser/worker-messages";
import { ApiError } from "@/lib/platform/browser/request";

/** Number of rows before the end of the loaded ones at which the next page is requested. */
const AHEAD_ROWS = 50;
/** Maximum number of rows for scrolling; larger tables are exported or queried. */
export const TABLE_ROWS_MAX = 20_000;

/** Status for a column or value that the table does not accept. */
const INVALID = 400;

type Ask = Pick<TableRowsAsk, "filters" | "sort" | "after">;

/** The rows of a table, loaded page by page while scrolling; the database sorts and filters them. */
export class TablePages extends Source implements RowsSource {
  fields: ResultField[] = [];
  readonly summedCellsMax = 100_000;
  /** Error of the last page; null when it arrived. */
  failure: Error | null = null;
  primaryKey: string[] = [];
  sample: CellTable = new ObjectTable([], []);
  #rows: ResultRow[] = [];
  #table: CellTable = this.sample;
  #next: string | null = null;
  #pageCount = 0;
  #isStable = true;
  #stop: AbortController | null = null;

  constructor(private readonly fetchPage: (ask: Ask, signal: AbortSignal) => Promise<TablePage>) {
    super();
  }

  /** Whether a first page has arrived, which may be empty. */
  isRead = false;
  /** Whether an invalid part of the address was omitted. */
  isLeftOut = false;
  /** Sort and filters from the address; null once the columns are known, when `arrangement` replaces it. */
  #named: NamedArrangement | null = null;
  /** Called with every sort or filter that the user chooses here. */
  onArranged: ((named: NamedArrangement) => void) | null = null;

  /** Reads the first page. @param named sort and filters from the address */
  start(named: NamedArrangement = NAMED_PLAIN): void {
    this.#named = named;
    void this.#fetch(null);
  }

  /** Applies a changed address. */
  show(named: NamedArrangement): void {
    this.isLeftOut = false;
    this.#named = named;
    void this.#fetch(null);
  }

  /** Returns the current sort and filters by column name. */
  get named(): NamedArrangement {
    if (this.#named !== null) return this.#named;
    const { sort, columns } = this.arrangement;
    const nameOf = (column: number) => this.fields[column]?.name ?? "";
    return {
      sort: sort && { column: nameOf(sort.column), isDescending: sort.isDescending },
      filters: columns.map((filter) => ({ ...filter, column: nameOf(filter.column) })),
    };
  }

  get total(): number {
    return this.#rows.length;
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Returns whether there are more rows after the loaded ones. */
  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Returns whether rows may repeat or be missing, since no order holds across pages. False for a single page. */
  get isUnordered(): boolean {
    return !this.#isStable && (this.hasMore || this.#pageCount > 1);
  }

  /** Returns whether the limit of loaded rows is reached. */
  get isFull(): boolean {
    return this.#rows.length >= TABLE_ROWS_MAX;
  }

  cell(row: number, column: number): CellValue | undefined {
    return row < this.#rows.length ? this.#table.at(row, column) : undefined;
  }

  edition(): number {
    return this.#epoch;
  }
  #epoch = 0;

  want(_: number, to: number, isSeen = true): void {
    // A page costs the database a statement: read it only when the user comes near it.
    if (!isSeen) return;
    if (this.#next === null || this.#stop !== null || this.failure !== null || this.isFull) return;
    if (to + AHEAD_ROWS >= this.#rows.length) void this.#fetch(this.#next);
  }

  arrange(arrangement: Arrangement): void {
    this.arrangement = arrangement;
    this.#named = null;
    this.isLeftOut = false;
    this.onArranged?.(this.named);
    void this.#fetch(null);
  }

  /** Repeats the request. */
  refresh(): void {
    void this.#fetch(null);
  }

  /** Repeats a failed request. */
  retry(): void {
    void this.#fetch(this.#rows.length === 0 || this.isArranging ? null : this.#next);
  }

  copyNow(ask: CopyAsk): string {
    return copyRows({ table: this.#table, order: null }, ask);
  }

  async copy(ask: CopyAsk): Promise<string> {
    return this.copyNow(ask);
  }

  async sum(columns: number[], from: number, to: number) {
    return sumRows({ table: this.#table, order: null }, columns, from, to);
  }

  async chart(ask: ChartAsk): Promise<ChartData> {
    return chartRows({ table: this.#table, order: null }, ask);
  }

  stats(column: number) {
    return toColumnStats({ table: this.#table, order: null }, column);
  }

  pivot(ask: PivotAsk) {
    return toPivotRows({ table: this.#table, order: null }, ask);
  }

  find(ask: FindAsk) {
    return this.findIn({ table: this.#table, order: null }, ask);
  }

  close(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  /** @param after null for the first page of another request */
  async #fetch(after: string | null): Promise<void> {
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.failure = null;
    this.isArranging = after === null;
    this.changed();
    try {
      const page = await this.#fetchOrLeaveOut(after, stop.signal);
      if (stop.signal.aborted) return;
      const { length } = this.fields;
      this.#addFields(page.fields);
      // Column widths follow rows that have all columns.
      if (length > 0 && this.fields.length > length) this.sample = new ObjectTable(this.fields, page.rows);
      if (after === null) {
        this.#rows = page.rows;
        this.#epoch += 1;
        this.#pageCount = 0;
        this.#isStable = true;
        this.isRead = true;
        if (this.sample.rowCount === 0) this.sample = new ObjectTable(this.fields, page.rows);
        this.#settle();
      } else this.#rows = [...this.#rows, ...page.rows];
      this.#table = new ObjectTable(this.fields, this.#rows);
      this.#next = page.next;
      this.#pageCount += 1;
      this.#isStable &&= page.isStable;
      this.primaryKey = page.primaryKey;
      this.isArranging = false;
    } catch (error) {
      if (stop.signal.aborted) return;
      this.failure = error instanceof Error ? error : new Error("Couldn't load the rows. Try again.");
    }
    if (this.#stop === stop) this.#stop = null;
    this.changed();
  }

  /** Drops invalid parts of an address, since its table may have changed, and notes that it did. */
  async #fetchOrLeaveOut(after: string | null, signal: AbortSignal): Promise<TablePage> {
    const isAsked = this.#named !== null && (this.#named.sort !== null || this.#named.filters.length > 0);
    try {
      return await this.fetchPage(this.#toAsk(after), signal);
    } catch (error) {
      if (!isAsked || signal.aborted || !(error instanceof ApiError) || error.status !== INVALID) throw error;
      this.#named = NAMED_PLAIN;
      this.isLeftOut = true;
      return this.fetchPage(this.#toAsk(after), signal);
    }
  }

  /** Adds columns at the end: documents may have fields that earlier ones lacked. */
  #addFields(fields: ResultField[]): void {
    const known = new Set(this.fields.map(({ name }) => name));
    const added = fields.filter(({ name }) => !known.has(name));
    if (added.length > 0) this.fields = [...this.fields, ...added];
  }

  /** Converts names to column indexes once the columns are known. */
  #settle(): void {
    if (this.#named === null) return;
    const { sort, filters } = this.#named;
    const placeOf = (name: string) => this.fields.findIndex((field) => field.name === name);
    // A filter without matches leaves a collection without columns: show the filtered ones nevertheless.
    const names = [...(sort ? [sort.column] : []), ...filters.map(({ column }) => column)];
    this.#addFields(names.map((name) => ({ name, type: "other" as const })));
    this.arrangement = {
      ...PLAIN,
      sort: sort && { column: placeOf(sort.column), isDescending: sort.isDescending },
      columns: filters.map((filter) => ({ ...filter, column: placeOf(filter.column) })),
    };
    this.#named = null;
  }

  #toAsk(after: string | null): Ask {
    const { sort, filters } = this.named;
    return {
      sort: sort === null ? [] : [{ column: sort.column, descending: sort.isDescending }],
      filters,
      ...(after !== null && { after }),
    };
  }
}
