import { FrameTooLarge } from "../wire.ts";

const LENGTH_BYTES = 4;
/** Maximum length of a message's type name with its surroundings, in bytes. */
const HEAD_BYTES = 40;

/** Splits a stream into whole frames, including their lengths, without parsing them. */
export class FrameSplitter {
  #parts: Buffer[] = [];
  #held = 0;
  #needed = LENGTH_BYTES;
  #isHeaderKnown = false;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @throws FrameTooLarge */
  push(chunk: Buffer): Buffer[] {
    this.#parts.push(chunk);
    this.#held += chunk.length;
    const frames: Buffer[] = [];
    while (this.#held >= this.#needed) {
      const [first] = this.#parts;
      const all = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts, this.#held);
      this.#parts = [all];
      if (!this.#isHeaderKnown) {
        const length = all.readUInt32LE(0);
        if (length > this.#bytesMax) throw new FrameTooLarge(`A frame of ${length} bytes was announced.`);
        this.#needed = LENGTH_BYTES + length;
        this.#isHeaderKnown = true;
      } else {
        frames.push(all.subarray(0, this.#needed));
        const rest = all.subarray(this.#needed);
        this.#parts = rest.length > 0 ? [rest] : [];
        this.#held = rest.length;
        this.#needed = LENGTH_BYTES;
        this.#isHeaderKnown = false;
      }
    }
    return frames;
  }
}

/** Returns a frame's type. Messages start with it, because `encodeFrame` gets object literals that do. */
export function typeOfFrame(frame: Buffer): string {
  const head = frame.toString("latin1", LENGTH_BYTES, LENGTH_BYTES + HEAD_BYTES);
  return /^\{"type":"(\w+)"/.exec(head)?.[1] ?? "";
}
