"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { LeaveApp } from "@/components/apps/view/leave-app";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { readParams, toOutside, writeParams } from "@/lib/features/apps/browser/app-params";
import type { FromApp, ToApp } from "@/lib/features/apps/frame/messages";
import type { ViewToken } from "@/lib/features/apps/view/schema";
import { FRAME_SANDBOX } from "@/lib/features/apps/words";

/** Time before a token expires at which a new one is requested; requests in flight then still succeed. */
const BEFORE_END_MS = 2 * 60_000;
/** Delay before a retry after a token request failed in the background. */
const AGAIN_MS = 10_000;

type AppFrameProps = {
  title: string;
  /** Requests a new address for the frame; throws ApiError. */
  mint: () => Promise<ViewToken>;
  onFailure?: (error: Error) => void;
  /** Called with the commit of the version shown. */
  onShown?: (sha: string) => void;
  /** Called with the app's console output, errors and build problems. */
  onSaid?: (said: Extract<FromApp, { type: "console" | "error" | "problems" }>) => void;
};

type State = { kind: "reading" } | { kind: "failed"; error: Error } | { kind: "open"; token: ViewToken };

/**
 * Frame of an app, which has an opaque origin. The app reaches the page only through a message port, which only the
 * window of this frame can open.
 */
export function AppFrame({ title, mint, onFailure, onShown, onSaid }: AppFrameProps) {
  const [state, setState] = useState<State>({ kind: "reading" });
  const [leaving, setLeaving] = useState<URL | null>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const port = useRef<MessagePort | null>(null);
  const latest = useRef<ViewToken | null>(null);

  const send = useCallback((message: ToApp) => port.current?.postMessage(message), []);
  const open = useEffectEvent(async () => {
    setState({ kind: "reading" });
    try {
      const token = await mint();
      latest.current = token;
      setState({ kind: "open", token });
      onShown?.(token.sha);
    } catch (error) {
      setState({ kind: "failed", error: error as Error });
      onFailure?.(error as Error);
    }
  });
  const renew = useEffectEvent(async () => {
    try {
      latest.current = await mint();
      send({ type: "base", base: toBase(latest.current) });
    } catch {
      // The app continues with its current token; the next attempt follows below, or comes from the app.
      return AGAIN_MS;
    }
    return untilRenewal(latest.current);
  });
  const hear = useEffectEvent((message: FromApp) => {
    if (message.type === "needsBase") void renew();
    else if (message.type === "params") writeParams(message.params);
    else if (message.type === "open") setLeaving(toOutside(message.href));
    else if (message.type === "console" || message.type === "error" || message.type === "problems") onSaid?.(message);
  });

  useEffect(() => void open(), []);
  useEffect(() => {
    if (state.kind !== "open") return;
    let timer: ReturnType<typeof setTimeout>;
    const later = (ms: number) => {
      timer = setTimeout(async () => later(await renew()), ms);
    };
    later(untilRenewal(state.token));
    return () => clearTimeout(timer);
  }, [state]);
  useEffect(() => {
    const onMessage = ({ source, data, ports: [given] }: MessageEvent) => {
      // The origin of such a frame is "null", as for any other sandboxed frame: only the window identifies it.
      const isOurs = source !== null && source === frame.current?.contentWindow;
      if (!isOurs || data?.millrace !== "hello" || !given || !latest.current) return;
      port.current?.close();
      port.current = given;
      given.onmessage = ({ data: message }) => isMessage(message) && hear(message);
      given.postMessage({
        type: "init",
        base: toBase(latest.current),
        theme: readTheme(),
        params: readParams(),
      } satisfies ToApp);
    };
    window.addEventListener("message", onMessage);
    const observer = new MutationObserver(() => send({ type: "theme", theme: readTheme() }));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const onPop = () => send({ type: "params", params: readParams() });
    window.addEventListener("popstate", onPop);
    return () => {
      window.removeEventListener("message", onMessage);
      window.removeEventListener("popstate", onPop);
      observer.disconnect();
      port.current?.close();
      port.current = null;
    };
  }, [send]);

  if (state.kind === "reading") return <ListSkeleton label="Loading app" />;
  if (state.kind === "failed") return <LoadFailure error={state.error} onRetry={() => void open()} />;
  return (
    <>
      <iframe
        ref={frame}
        className="app-frame"
        title={title}
        src={toBase(state.token)}
        sandbox={FRAME_SANDBOX}
        allow=""
        referrerPolicy="no-referrer"
      />
      <LeaveApp to={leaving} onClose={() => setLeaving(null)} />
    </>
  );
}

/** Returns the path of the token's URL, which works under any host name of the server. */
function toBase({ url }: ViewToken): string {
  return new URL(url).pathname;
}

function untilRenewal({ expiresAt }: ViewToken): number {
  return Math.max(AGAIN_MS, Date.parse(expiresAt) - Date.now() - BEFORE_END_MS);
}

function readTheme(): "light" | "dark" {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

function isMessage(value: unknown): value is FromApp {
  return typeof value === "object" && value !== null && "type" in value;
}
