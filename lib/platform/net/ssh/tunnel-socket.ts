import "server-only";
import { Duplex } from "node:stream";
import { tunnelClosed } from "./failures";

type Endpoint = { host: string; port: number };
/** Opens a channel of the tunnel. */
type Dial = (endpoint: Endpoint, signal: AbortSignal) => Promise<Duplex>;
type Written = (error?: Error | null) => void;

/**
 * A connection through a tunnel, with the parts of Node's socket that drivers use: `connect`, the event `connect`,
 * `ref` and `unref`. Options of the transport (delays, keep-alive) belong to the tunnel and do nothing here.
 */
export class TunnelSocket extends Duplex {
  connecting = false;
  readonly #dial: Dial;
  readonly #onRef: (isRef: boolean) => void;
  readonly #left = new AbortController();
  #channel: Duplex | null = null;
  #isRef = false;

  constructor(dial: Dial, onRef: (isRef: boolean) => void) {
    super({ allowHalfOpen: true });
    this.#dial = dial;
    this.#onRef = onRef;
  }

  /** Accepts the forms that drivers use: `(port, host)` and `({host, port})`. */
  connect(first: number | Endpoint, second?: unknown): this {
    const endpoint = typeof first === "object" ? first : { host: String(second), port: Number(first) };
    this.connecting = true;
    this.ref();
    this.#dial({ host: endpoint.host, port: Number(endpoint.port) }, this.#left.signal).then(
      (channel) => this.#take(channel),
      (error: unknown) => {
        this.connecting = false;
        this.destroy(error instanceof Error ? error : new Error(String(error)));
      },
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this.#setRef(true);
  }

  unref(): this {
    return this.#setRef(false);
  }

  /** Closes the socket after all pending writes have been sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  override _read(): void {
    this.#channel?.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: Written): void {
    this.#whenOpen((channel) => {
      channel.write(chunk, encoding, written);
    }, written);
  }

  override _final(done: Written): void {
    this.#whenOpen((channel) => {
      channel.end();
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: Written): void {
    this.connecting = false;
    this.unref();
    this.#left.abort();
    this.#channel?.destroy();
    done(error);
  }

  #take(channel: Duplex): void {
    if (this.destroyed) {
      channel.on("error", () => {});
      channel.destroy();
      return;
    }
    this.connecting = false;
    this.#channel = channel;
    let isEnded = false;
    channel.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) channel.pause();
    });
    channel.on("end", () => {
      isEnded = true;
      this.push(null);
    });
    channel.on("error", (error: Error) => this.destroy(error));
    channel.on("close", () => {
      // The other side's stream is read to its end; a broken connection is reported as an error.
      if (!isEnded) this.destroy(tunnelClosed());
      else if (this.readableEnded) this.destroy();
      else this.once("end", () => this.destroy());
    });
    this.emit("connect");
    this.emit("ready");
  }

  #whenOpen(work: (channel: Duplex) => void, failed: Written): void {
    if (this.#channel) {
      // A write to a closed channel would never complete.
      if (this.#channel.destroyed || !this.#channel.writable) failed(tunnelClosed());
      else work(this.#channel);
      return;
    }
    this.once("connect", () => this.#channel && work(this.#channel));
  }

  #setRef(isRef: boolean): this {
    if (this.#isRef === isRef) return this;
    this.#isRef = isRef;
    this.#onRef(isRef);
    return this;
  }
}
