import "server-only";
import { AppError } from "@/lib/platform/http/errors";
import { SharedResource } from "@/lib/platform/process/shared-resource";

/** The running uses of a data source. Closing it refuses new uses and waits for these. */
export class Uses {
  readonly #source: SharedResource<null>;

  /** @param close called once, when no use is left */
  constructor(close: () => Promise<void> | void) {
    this.#source = new SharedResource(null, { close: async () => close() });
  }

  /** @returns a function that ends the use. @throws AppError `unavailable` once the source is closing */
  begin(): () => void {
    if (this.#source.isRetired) throw new AppError("unavailable", "The connection is closing. Try again.");
    const { release } = this.#source.lease();
    // A failed close is reported to the caller of `close`.
    return () => void release().catch(() => {});
  }

  /** Resolves when the source is closed. */
  close(): Promise<void> {
    return this.#source.retire();
  }
}
