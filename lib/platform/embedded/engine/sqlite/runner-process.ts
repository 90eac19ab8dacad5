import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { RESPONSE_BYTES_MAX } from "../limits.ts";
import { FrameSplitter } from "./frames.ts";

/** Maximum frames that may wait for a slow reader before the runner's output is paused. */
const FRAMES_AHEAD_MAX = 2;

/** The engine's handle of a runner in a child process. */
export class RunnerProcess {
  readonly readOnly: boolean;
  readonly #child: ChildProcess;
  readonly #output: Readable;
  readonly #splitter = new FrameSplitter(RESPONSE_BYTES_MAX);
  #frames: Buffer[] = [];
  #waiter: { resolve: (frame: Buffer | null) => void } | null = null;
  #isOver = false;

  constructor(file: string, readOnly: boolean, isManual = false) {
    this.readOnly = readOnly;
    const flags = [...(readOnly ? ["--read-only"] : []), ...(isManual ? ["--manual"] : [])];
    const args = ["--runner", "--file", file, ...flags];
    this.#child = spawn(process.execPath, [process.argv[1] ?? "", ...args], {
      stdio: ["pipe", "pipe", "inherit"],
      env: process.env,
    });
    this.#output = this.#child.stdout as Readable;
    this.#output.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#child.stdin?.on("error", () => {});
    this.#child.on("error", () => this.#end());
    this.#child.on("exit", () => this.#end());
  }

  get isAlive(): boolean {
    return !this.#isOver;
  }

  send(frame: Buffer): void {
    this.#child.stdin?.write(frame);
  }

  /** Returns the next frame; null when the runner has ended. */
  next(): Promise<Buffer | null> {
    const frame = this.#frames.shift();
    if (frame) {
      if (this.#frames.length < FRAMES_AHEAD_MAX) this.#output.resume();
      return Promise.resolve(frame);
    }
    if (this.#isOver) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#waiter = { resolve };
    });
  }

  /** Kills the process. Resolves when it is gone, and with it its locks on the file. */
  async kill(): Promise<void> {
    if (this.#isOver) return;
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }

  #receive(chunk: Buffer): void {
    for (const frame of this.#splitter.push(chunk)) {
      if (this.#waiter) {
        this.#waiter.resolve(frame);
        this.#waiter = null;
      } else this.#frames.push(frame);
    }
    if (this.#frames.length >= FRAMES_AHEAD_MAX) this.#output.pause();
  }

  #end(): void {
    this.#isOver = true;
    this.#waiter?.resolve(null);
    this.#waiter = null;
  }
}
