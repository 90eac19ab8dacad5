import type { ChartData } from "@/lib/base/charts/data";
import type { CellValue, ResultField, ResultRow } from "@/lib/base/values/json-rows";
import type { TablePage, TableRowsAsk } from "@/lib/features/query/browser/api";
import { type Arrangement, PLAIN } from "@/lib/features/results/browser/arrangement";
import { chartRows, copyRows, sumRows } from "@/lib/features/results/browser/held-rows";
import { type CellTable, ObjectTable } from "@/lib/features/results/browser/row-table";
import { type RowsSource, Source } from "@/lib/features/results/browser/rows-source";
import { NAMED_PLAIN, type NamedArrangement } from "@/lib/features/results/browser/table-address";
import type { ChartAsk, CopyAsk } from "@/lib/features/results/browser/worker-messages";
import { ApiError } from "@/lib/platform/browser/request";

/** So near to the end of what is here the next page is asked for. */
const AHEAD_ROWS = 50;
/** A page that is looked through by scrolling; more than these are exported, or asked for by a query. */
export const TABLE_ROWS_MAX = 20_000;

/** What the server answers to a column or value that the table does not take. */
const INVALID = 400;

type Ask = Pick<TableRowsAsk, "filters" | "sort" | "after">;

/** The rows of a table as they are scrolled to, page by page; sorted and filtered by the database. */
export class TablePages extends Source implements RowsSource {
  fields: ResultField[] = [];
  readonly summedCellsMax = 100_000;
  /** Why the last page did not come; null when it did. */
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

  /** A first page has come, which may be empty. */
  isRead = false;
  /** What an address asked for did not fit the table and is left out. */
  isLeftOut = false;
  /** As an address has it; null once the columns are known, from when on it is `arrangement`. */
  #named: NamedArrangement | null = null;
  /** Told of every arrangement that somebody chooses here. */
  onArranged: ((named: NamedArrangement) => void) | null = null;

  /** Reads the first page. @param named as an address has kept it */
  start(named: NamedArrangement = NAMED_PLAIN): void {
    this.#named = named;
    void this.#fetch(null);
  }

  /** Shows what an address says now. */
  show(named: NamedArrangement): void {
    this.isLeftOut = false;
    this.#named = named;
    void this.#fetch(null);
  }

  /** How the rows stand, by names. */
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

  /** There are more rows behind those that are here. */
  get hasMore(): boolean {
    return this.#next !== null;
  }

  /** Whether rows may repeat or be missing, since nothing orders rows across the pages. False for a single page. */
  get isUnordered(): boolean {
    return !this.#isStable && (this.hasMore || this.#pageCount > 1);
  }

  /** As many rows are here as are held. */
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
    // A page costs the database a statement: it is read for those who come near it, not in advance.
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

  /** The same question again. */
  refresh(): void {
    void this.#fetch(null);
  }

  /** Asks again for what has failed. */
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

  close(): void {
    this.#stop?.abort();
    this.#stop = null;
  }

  /** @param after null for the first page of another question */
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
      // Widths are judged by rows that have all columns.
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
      this.failure = error instanceof Error ? error : new Error("The rows could not be read. Try again.");
    }
    if (this.#stop === stop) this.#stop = null;
    this.changed();
  }

  /** An address may be of a table that has changed since: what does not fit is left out, and said. */
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

  /** Documents may have fields that those before them had not: their columns stand behind the others. */
  #addFields(fields: ResultField[]): void {
    const known = new Set(this.fields.map(({ name }) => name));
    const added = fields.filter(({ name }) => !known.has(name));
    if (added.length > 0) this.fields = [...this.fields, ...added];
  }

  /** Now that the columns are known, what was asked for by their names stands in their places. */
  #settle(): void {
    if (this.#named === null) return;
    const { sort, filters } = this.#named;
    const placeOf = (name: string) => this.fields.findIndex((field) => field.name === name);
    // A filter that lets nothing through leaves a collection without columns: its own are shown nevertheless.
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
