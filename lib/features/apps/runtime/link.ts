import type { AppParams, FromApp, ToApp } from "../frame/messages";

export type Theme = "light" | "dark";

/**
 * Connection of an app to our page around its frame. Without one, the app runs standalone, with its URL's parameters
 * and the browser's theme.
 */
export type Link = {
  base: string;
  theme: Theme;
  params: AppParams;
  /** Calls the listener after each change of the three. @returns a function that unsubscribes */
  subscribe(listener: () => void): () => void;
  send(message: FromApp): void;
  /** Resolves with an address that has a new token; rejects after a timeout. */
  freshBase(): Promise<string>;
};

/** Timeout of the page's request for a new token. */
const FRESH_BASE_MS = 15_000;
const KEY = Symbol.for("millrace.app");
type Holder = { [KEY]?: Link };

/** Returns the page's link, opened when the page started (`boot.ts`). */
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
      // The page stores them without a reply, which would only repeat what is known here.
      if (message.type === "params") {
        state.params = message.params;
        for (const listener of listeners) listener();
      }
      if (isFramed) port.postMessage(message);
    },
    freshBase: () =>
      new Promise((resolve, reject) => {
        if (!isFramed) return reject(new Error("The app's access expired. Reload the page."));
        waiting.add(resolve);
        setTimeout(() => {
          if (waiting.delete(resolve)) reject(new Error("Couldn't renew the app's access. Reload the page."));
        }, FRESH_BASE_MS);
        port.postMessage({ type: "needsBase" } satisfies FromApp);
      }),
  };
  port.onmessage = ({ data }: MessageEvent<ToApp>) => {
    if (data.type === "init" || data.type === "base") {
      // The page sends a path; it and the app are from the same server.
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
  // The page accepts it only from the window of its frame; the message holds no secret.
  if (isFramed) window.parent.postMessage({ millrace: "hello" }, "*", [port2]);
  return state;
}
