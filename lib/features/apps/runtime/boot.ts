/*
 * Runs in an app's page before any code of the app. It replaces APIs that a frame with an opaque origin lacks, and
 * sends console output, errors and link clicks to our page around it. The builder inserts it into the page's head.
 */
import type { FromApp } from "../frame/messages";
import { standInForWebSocket } from "./hot";
import { link } from "./link";

/** Maximum length of a message; the browser's console has the rest. */
const TEXT_CHARS_MAX = 4_000;
/** Messages per second: an app that prints in a loop must not block the page around it. */
const MESSAGES_MAX = 100;
const LEVELS = ["log", "info", "warn", "error"] as const;

standInForStorage("localStorage");
standInForStorage("sessionStorage");
// The dev server's client would create one from a blob to poll for a restart, which throws here; without it, the client
// polls from the page.
hide("SharedWorker");
if (process.env.NODE_ENV === "development") {
  standInForWebSocket((problems) => link().send({ type: "problems", problems }));
}

const send = paced((message: FromApp) => link().send(message));
mirrorConsole();
window.addEventListener("error", ({ message, error }) => sendError(error ?? message));
window.addEventListener("unhandledrejection", ({ reason }) => sendError(reason));
document.addEventListener("click", openLinkOutside);
link();

/**
 * Keeps storage in memory, for the life of the page: access to the real one throws in a frame with an opaque origin.
 */
function standInForStorage(name: "localStorage" | "sessionStorage"): void {
  try {
    window[name].getItem("");
  } catch {
    const items = new Map<string, string>();
    const storage = {
      get length() {
        return items.size;
      },
      key: (n: number) => [...items.keys()][n] ?? null,
      getItem: (key: string) => items.get(String(key)) ?? null,
      setItem: (key: string, value: string) => void items.set(String(key), String(value)),
      removeItem: (key: string) => void items.delete(String(key)),
      clear: () => items.clear(),
    };
    Object.defineProperty(window, name, { value: storage, configurable: true });
  }
}

function hide(name: string): void {
  Object.defineProperty(window, name, { value: undefined, configurable: true });
}

function mirrorConsole(): void {
  for (const level of LEVELS) {
    // biome-ignore lint/suspicious/noConsole: it is what is mirrored
    const print = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      print(...values);
      send({ type: "console", level, text: values.map(toText).join(" ").slice(0, TEXT_CHARS_MAX), at: Date.now() });
    };
  }
}

function sendError(reason: unknown): void {
  const isError = reason instanceof Error;
  send({
    type: "error",
    message: (isError ? `${reason.name}: ${reason.message}` : toText(reason)).slice(0, TEXT_CHARS_MAX),
    stack: isError ? (reason.stack?.slice(0, TEXT_CHARS_MAX) ?? null) : null,
    at: Date.now(),
  });
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Error) return value.stack ?? value.message;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** The frame cannot be navigated away; the page asks the user and opens a tab. */
function openLinkOutside(event: MouseEvent): void {
  const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (event.defaultPrevented || !(anchor instanceof HTMLAnchorElement) || anchor.hasAttribute("download")) return;
  const isOwn = anchor.href.startsWith(new URL(".", document.baseURI).href) && anchor.target !== "_blank";
  if (isOwn || !/^(?:https?|mailto):/.test(anchor.href)) return;
  event.preventDefault();
  link().send({ type: "open", href: anchor.href });
}

function paced(send: (message: FromApp) => void): (message: FromApp) => void {
  let second = 0;
  let sent = 0;
  return (message) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, sent] = [now, 0];
    sent += 1;
    if (sent <= MESSAGES_MAX) send(message);
  };
}
