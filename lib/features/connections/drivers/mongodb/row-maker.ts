import type { Batch } from "@/lib/base/values/fields";
import { AppError } from "@/lib/platform/http/errors";
import type { Statement } from "../../data-source";
import { BatchBuilder } from "../shared/batch-queue";
import { BATCH_BYTES_TARGET, BATCH_ROWS_MAX } from "../shared/limits";
import { valueBytes } from "../shared/wire-values";
import { toEditText } from "./edit-values";
import { OTHER_FIELDS, type Shape } from "./fields";
import type { Doc } from "./operation";
import { exactJson, WireWriter } from "./values";

/** Documents that are sampled for columns. */
export const SAMPLE_DOCUMENTS = 1000;
/** UTF-8 bytes per UTF-16 unit, at most. */
const BYTES_PER_CHAR_MAX = 3;
/** Approximate bytes of a number, a date and the like in a batch. */
const SCALAR_BYTES = 12;

/** Converts documents to rows of fixed columns. */
export class RowMaker {
  readonly #shape: Shape;
  readonly #known: ReadonlySet<string>;
  readonly #cellBytesMax: number | undefined;
  readonly #rows: BatchBuilder;
  readonly #writer: WireWriter;
  readonly #exact: Statement["exactFields"];

  /**
   * @param isExact values as flows carry them: see `WireWriter`
   * @param exact the form of the fields in Extended JSON
   */
  constructor(shape: Shape, cellBytesMax: number | undefined, isExact = false, exact?: Statement["exactFields"]) {
    this.#exact = exact;
    this.#writer = new WireWriter(isExact);
    this.#shape = shape;
    this.#known = new Set([...shape.names, ...shape.exact]);
    this.#cellBytesMax = cellBytesMax;
    this.#rows = new BatchBuilder(shape.fields.length);
  }

  get count(): number {
    return this.#rows.rowCount;
  }

  get isFull(): boolean {
    return this.#rows.rowCount >= BATCH_ROWS_MAX || this.#rows.bytes >= BATCH_BYTES_TARGET;
  }

  take(): Batch {
    return this.#rows.take();
  }

  /** Adds a row. @returns false when a cell is too large: the result ends before this row */
  add(document: Doc): boolean {
    let bytes = 0;
    let isLarge = false;
    const write = (value: unknown) => {
      this.#writer.reset();
      const written = this.#writer.write(value);
      bytes += this.#writer.chars + SCALAR_BYTES;
      const limit = this.#cellBytesMax;
      const mayBeLarge = limit !== undefined && this.#writer.chars * BYTES_PER_CHAR_MAX > limit;
      isLarge ||= mayBeLarge && valueBytes(written) > limit;
      return written;
    };
    const row = this.#shape.names.map((name) => (Object.hasOwn(document, name) ? write(document[name]) : null));
    const others = Object.entries(document).filter(([name]) => !this.#known.has(name));
    if (this.#shape.hasOther) row.push(others.length > 0 ? write(Object.fromEntries(others)) : null);
    else if (others.length > 0) throw newField(others[0]?.[0] ?? OTHER_FIELDS);
    if (isLarge) return false;
    for (const name of this.#shape.exact) row.push(this.#exactText(document, name));
    this.#rows.add(row, bytes);
    return true;
  }

  #exactText(document: Doc, name: string): string | null {
    if (!Object.hasOwn(document, name)) return null;
    const { charsMax = 0, isEdited } = this.#exact ?? {};
    if (isEdited) return toEditText(document[name], charsMax);
    const text = exactJson(document[name], charsMax);
    return text.length > charsMax ? "" : text;
  }
}

/** Creates the error for a field that none of the earlier documents had, when the columns were already fixed. */
function newField(name: string): AppError {
  return new AppError(
    "query_failed",
    `Field ${name} first appears after ${SAMPLE_DOCUMENTS} documents. List the fields you need in a projection.`,
  );
}
