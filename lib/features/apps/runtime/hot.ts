import type { BuildProblem } from "../frame/messages";

/** Same values as in the dev server (lib/platform/embedded/sandbox/dev.ts). */
const HOT_PATH = "__hot";
const PROBLEMS_EVENT = "millrace:problems";

/**
 * Replaces the WebSocket of Vite's client: events arrive as Server-Sent Events and leave as requests, which every proxy
 * lets through.
 * @param onProblems called with all compile errors whenever they change
 */
export function standInForWebSocket(onProblems: (problems: BuildProblem[]) => void): void {
  const Real = window.WebSocket;
  const base = new URL(".", document.baseURI).href;
  window.WebSocket = new Proxy(Real, {
    construct(_, [address, protocols]: [string, string | string[] | undefined]) {
      const isVites = protocols === "vite-hmr" || protocols === "vite-ping";
      return isVites ? new HotSocket(`${base}${HOT_PATH}`, onProblems) : new Real(address, protocols);
    },
  });
}

/** The part of WebSocket that Vite's client uses. */
class HotSocket extends EventTarget {
  readonly OPEN = 1;
  readyState = 0;
  readonly #address: string;
  readonly #events: EventSource;
  #wasOpen = false;

  constructor(address: string, onProblems: (problems: BuildProblem[]) => void) {
    super();
    this.#address = `${address}?page=${Math.random().toString(36).slice(2)}`;
    this.#events = new EventSource(this.#address);
    this.#events.onopen = () => {
      // Messages sent while disconnected are lost, so the page reloads.
      if (this.#wasOpen) location.reload();
      this.#wasOpen = true;
      this.readyState = this.OPEN;
      this.dispatchEvent(new Event("open"));
    };
    this.#events.onmessage = ({ data }) => {
      const message = JSON.parse(data);
      if (message.type === "custom" && message.event === PROBLEMS_EVENT) onProblems(message.data);
      else this.dispatchEvent(new MessageEvent("message", { data }));
    };
    this.#events.onerror = () => {
      if (this.#events.readyState === EventSource.CLOSED) this.close();
    };
  }

  send(data: string): void {
    void fetch(this.#address, { method: "POST", body: data }).catch(() => {});
  }

  close(): void {
    if (this.readyState === 3) return;
    this.#events.close();
    this.readyState = 3;
    // The parent reloads the frame when a dev server is available again: polling by the client would be useless.
  }
}
