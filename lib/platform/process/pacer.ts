import { ownTurn } from "./own-turn";

/** Work on the event loop rests after this long, so that other requests wait far less than 50 ms (F15). */
const SLICE_MS = 8;
/** Looking at the clock costs more than writing a row. */
const LOOK_EVERY = 32;

/** Cuts long work into slices between which the event loop serves others, one of all such work in a turn. */
export class Pacer {
  #since = performance.now();
  #count = 0;

  /** Call once a step; true when it is time for `rest`. */
  isDue(): boolean {
    this.#count += 1;
    return this.#count % LOOK_EVERY === 0 && performance.now() - this.#since > SLICE_MS;
  }

  /** For large steps, which cost far more than a look at the clock. */
  async restIfLate(): Promise<void> {
    if (performance.now() - this.#since > SLICE_MS) await this.rest();
  }

  async rest(): Promise<void> {
    await ownTurn();
    this.#since = performance.now();
  }
}
