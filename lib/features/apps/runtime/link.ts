import type { AppParams, FromApp, ToApp } from "../frame/messages";

export type Theme = "light" | "dark";

/** An app's line to our page around its frame. Without one, the app stands alone: it has its own address and no theme but the browser's. */
export type Link = {
  base: string;
  theme: Theme;
  params: AppParams;
  /** Calls back after each change of the three. @returns takes it back */
  subscribe(listener: () => void): () => void;
  send(message: FromApp): void;
  /** Resolves with an address whose token is new; rejects where nobody answers. */
  freshBase(): Promise<string>;
};

/** The page asks the server once, and tells it within that time or not at all. */
const FRESH_BASE_MS = 15_000;
const KEY = Symbol.for("millrace.app");
type Holder = { [KEY]?: Link };

/** The line of this page, made when the page began (`boot.ts`). */
export function link(): Link {
  const holder = globalThis as Holder;
  holder[KEY] ??= openLink();
  return holder[KEY];
}

function openLink(): Link {
  const { port1: port, port2 } = new MessageChannel();
  const listeners = new Set<() => void>();
  const waiting = new Set<(base: string) => void>();
  const isFramed = window.parent !== window;
  const dark = window.matchMedia?.("(prefers-color-scheme: dark)").matches ?? false;
  const state: Link = {
    base: new URL(".", document.baseURI).href,
    theme: dark ? "dark" : "light",
    params: Object.fromEntries(new URLSearchParams(location.search)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send(message) {
      // The page writes them down and says nothing: it would say what is known here.
      if (message.type === "params") {
        state.params = message.params;
        for (const listener of listeners) listener();
      }
      if (isFramed) port.postMessage(message);
    },
    freshBase: () =>
      new Promise((resolve, reject) => {
        if (!isFramed) return reject(new Error("Reload the page: its address has run out."));
        waiting.add(resolve);
        setTimeout(() => {
          if (waiting.delete(resolve)) reject(new Error("Reload the page: it gets no new address."));
        }, FRESH_BASE_MS);
        port.postMessage({ type: "needsBase" } satisfies FromApp);
      }),
  };
  port.onmessage = ({ data }: MessageEvent<ToApp>) => {
    if (data.type === "init" || data.type === "base") {
      // The page tells a path of the server that both are from.
      state.base = new URL(data.base, location.href).href;
      for (const resolve of waiting) resolve(state.base);
      waiting.clear();
    }
    if (data.type === "init" || data.type === "theme") showTheme(data.theme);
    if (data.type === "init" || data.type === "params") state.params = data.params;
    for (const listener of listeners) listener();
  };
  const showTheme = (theme: Theme) => {
    state.theme = theme;
    document.documentElement.dataset.theme = theme;
    document.documentElement.style.colorScheme = theme;
  };
  // The page takes it from the window of its own frame alone; nothing in it is a secret.
  if (isFramed) window.parent.postMessage({ millrace: "hello" }, "*", [port2]);
  return state;
}
