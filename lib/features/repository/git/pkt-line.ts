import { AppError } from "@/lib/platform/http/errors";

/** Maximum length of a line in the protocol, including its length prefix. */
const LINE_BYTES_MAX = 65_520;
const LENGTH_BYTES = 4;
/** Maximum data of one side-band packet, after its length and its channel. */
const BAND_BYTES_MAX = LINE_BYTES_MAX - LENGTH_BYTES - 1;

export const FLUSH = Buffer.from("0000");
export const DELIMITER = Buffer.from("0001");
/** An empty progress packet: it shows that the connection is alive. */
export const HEARTBEAT = Buffer.from("0005\x02", "latin1");

export type Packet = { kind: "line"; data: Buffer } | { kind: "flush" } | { kind: "delimiter" };

/** Frames a line: its length in four digits, these included, then the data. */
export function pktLine(data: string | Buffer): Buffer {
  const bytes = Buffer.from(data);
  if (bytes.length + LENGTH_BYTES > LINE_BYTES_MAX) throw new Error("A packet line is too long.");
  return Buffer.concat([Buffer.from((bytes.length + LENGTH_BYTES).toString(16).padStart(LENGTH_BYTES, "0")), bytes]);
}

/** Frames bytes for one channel (1 data, 2 progress, 3 error), in as many packets as needed. */
export function sideBand(channel: 1 | 2 | 3, data: Buffer): Buffer {
  const packets: Buffer[] = [];
  for (let at = 0; at < data.length; at += BAND_BYTES_MAX) {
    packets.push(pktLine(Buffer.concat([Buffer.of(channel), data.subarray(at, at + BAND_BYTES_MAX)])));
  }
  return Buffer.concat(packets);
}

/** Reads packets from the start of a message. */
export class PktReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Returns the next packet; null at the end. @throws AppError invalid_request for an invalid packet */
  next(): Packet | null {
    if (this.isAtEnd) return null;
    const digits = this.bytes.toString("latin1", this.at, this.at + LENGTH_BYTES);
    const length = /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
    if (length === 0 || length === 1) {
      this.at += LENGTH_BYTES;
      return { kind: length === 0 ? "flush" : "delimiter" };
    }
    const end = this.at + length;
    if (!(length >= LENGTH_BYTES && length <= LINE_BYTES_MAX && end <= this.bytes.length)) {
      throw new AppError("invalid_request", "Not a git protocol message.");
    }
    const data = this.bytes.subarray(this.at + LENGTH_BYTES, end);
    this.at = end;
    return { kind: "line", data };
  }

  /** Returns the bytes after the packets that were read. */
  rest(): Buffer {
    return this.bytes.subarray(this.at);
  }
}

/** Returns a line's text without a trailing line feed. */
export function textOf(data: Buffer): string {
  const text = data.toString("utf8");
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}
