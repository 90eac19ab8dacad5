import type { Batch, WireValue } from "@/lib/base/values/fields";

/** Approximate memory of a flow's batch; a few of them are held at once. */
export const FLOW_BATCH_BYTES = 8 * 1024 * 1024;
/** Approximate bytes of a number, a date and the like. */
const SCALAR_BYTES = 12;

/** Collects rows of batches of any size. */
export class Gatherer {
  readonly #width: number;
  readonly #batchRows: number;
  #columns: WireValue[][];
  rowCount = 0;
  bytes = 0;

  /** @param batchRows rows at which it is full */
  constructor(width: number, batchRows: number) {
    this.#width = width;
    this.#batchRows = batchRows;
    this.#columns = this.#empty();
  }

  get isFull(): boolean {
    return this.rowCount >= this.#batchRows || this.bytes >= FLOW_BATCH_BYTES;
  }

  add(columns: readonly WireValue[][], row: number): void {
    for (let index = 0; index < this.#width; index += 1) {
      const value = columns[index]?.[row] ?? null;
      this.#columns[index]?.push(value);
      this.bytes += bytesOf(value);
    }
    this.rowCount += 1;
  }

  addAll({ rowCount, columns }: Batch): void {
    for (let row = 0; row < rowCount; row += 1) this.add(columns, row);
  }

  /** Returns the collected rows and empties the builder. */
  take(): Batch {
    const batch: Batch = { rowCount: this.rowCount, columns: this.#columns };
    this.#columns = this.#empty();
    this.rowCount = 0;
    this.bytes = 0;
    return batch;
  }

  #empty(): WireValue[][] {
    return Array.from({ length: this.#width }, () => []);
  }
}

/** Yields batches of this many rows, or fewer where they are large. */
export async function* regroup(
  batches: AsyncIterable<Batch>,
  width: number,
  batchRows: number,
): AsyncGenerator<Batch, void> {
  const rows = new Gatherer(width, batchRows);
  for await (const { rowCount, columns } of batches) {
    for (let row = 0; row < rowCount; row += 1) {
      rows.add(columns, row);
      if (rows.isFull) yield rows.take();
    }
  }
  if (rows.rowCount > 0) yield rows.take();
}

function bytesOf(value: WireValue): number {
  if (typeof value === "string") return value.length + SCALAR_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  let bytes = SCALAR_BYTES;
  for (const item of Object.values(value)) bytes += bytesOf(item) + SCALAR_BYTES;
  return bytes;
}
