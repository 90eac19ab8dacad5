"use client";

import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { LeaveApp } from "@/components/apps/view/leave-app";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { readParams, toOutside, writeParams } from "@/lib/features/apps/browser/app-params";
import type { FromApp, ToApp } from "@/lib/features/apps/frame/messages";
import type { ViewToken } from "@/lib/features/apps/view/schema";
import { FRAME_SANDBOX } from "@/lib/features/apps/words";

/** Minted anew so long before the end of the last one: a request that is on its way then still comes in. */
const BEFORE_END_MS = 2 * 60_000;
/** Tried again after a mint that failed in the background. */
const AGAIN_MS = 10_000;

type AppFrameProps = {
  title: string;
  /** A new address for the frame; throws ApiError. */
  mint: () => Promise<ViewToken>;
  onFailure?: (error: Error) => void;
  /** Which version is shown. */
  onShown?: (sha: string) => void;
  /** What the app says in its console, and what goes wrong in it. */
  onSaid?: (said: Extract<FromApp, { type: "console" | "error" | "problems" }>) => void;
};

type State = { kind: "reading" } | { kind: "failed"; error: Error } | { kind: "open"; token: ViewToken };

/**
 * An app in its frame, which has no origin of its own: what it needs of the page around it goes through a port that only the
 * window of this very frame can open.
 */
export function AppFrame({ title, mint, onFailure, onShown, onSaid }: AppFrameProps) {
  const [state, setState] = useState<State>({ kind: "reading" });
  const [leaving, setLeaving] = useState<URL | null>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const port = useRef<MessagePort | null>(null);
  const latest = useRef<ViewToken | null>(null);

  const tell = useCallback((message: ToApp) => port.current?.postMessage(message), []);
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
      tell({ type: "base", base: toBase(latest.current) });
    } catch {
      // What is shown goes on with what it has; the next try is below, or the app's own.
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
      // The origin of such a frame is the text "null", which any other one has, too: the window is what tells it apart.
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
    const observer = new MutationObserver(() => tell({ type: "theme", theme: readTheme() }));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const onPop = () => tell({ type: "params", params: readParams() });
    window.addEventListener("popstate", onPop);
    return () => {
      window.removeEventListener("message", onMessage);
      window.removeEventListener("popstate", onPop);
      observer.disconnect();
      port.current?.close();
      port.current = null;
    };
  }, [tell]);

  if (state.kind === "reading") return <ListSkeleton label="Opening the app" />;
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

/** On this page's own origin, by whatever name the server is reached here. */
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
