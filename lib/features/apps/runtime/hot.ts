import type { BuildProblem } from "../frame/messages";

/** As the dev server's side calls them (lib/platform/embedded/sandbox/dev.ts). */
const HOT_PATH = "__hot";
const PROBLEMS_EVENT = "millrace:problems";

/**
 * Puts a stand-in in the place of the WebSocket by which Vite's client hears of changes: Server-Sent Events down and requests
 * up, which every proxy lets through.
 * @param onProblems told all that could not be compiled, each time that it is another
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

/** As much of a WebSocket as Vite's client uses. */
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
      // What was said meanwhile is lost, so the page begins anew.
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
    // The parent reloads the frame when a dev server is there again: the client would only ask in vain.
  }
}
