import { yieldToEventLoop } from "./yield-to-event-loop";

/** Time after which work yields to the event loop, in ms, so that other requests wait far less than 50 ms (F15). */
const SLICE_MS = 8;
/** Number of steps between two reads of the clock, which costs more than writing a row. */
const LOOK_EVERY = 32;

/** Cuts long work into slices between which the event loop serves others; each turn runs one slice of all such work. */
export class Pacer {
  #since = performance.now();
  #count = 0;

  /** Returns whether it is time for `rest`. Call it once per step. */
  isDue(): boolean {
    this.#count += 1;
    return this.#count % LOOK_EVERY === 0 && performance.now() - this.#since > SLICE_MS;
  }

  /** Yields if the slice is over; for large steps, which cost far more than reading the clock. */
  async restIfLate(): Promise<void> {
    if (performance.now() - this.#since > SLICE_MS) await this.rest();
  }

  async rest(): Promise<void> {
    await yieldToEventLoop();
    this.#since = performance.now();
  }
}
