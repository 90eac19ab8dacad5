"use client";

import { useQueryClient } from "@tanstack/react-query";
import { WifiOff } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { useConnectivity, useNow, useOutage } from "@/components/ui/use-browser";
import { RETRY_AFTER_MS, reportReachable, reportUnreachable } from "@/lib/platform/browser/connectivity";
import { formatClock } from "@/lib/platform/browser/format";
import { checkPageAge } from "@/lib/platform/browser/page-age";
import { ping } from "@/lib/platform/browser/ping";

/** Says that the server cannot be reached and since when. Retries until it can, then reloads everything. */
export function OfflineBanner() {
  const connectivity = useConnectivity();
  const { isOnline, retryAt } = connectivity;
  const outage = useOutage();
  const queryClient = useQueryClient();
  const [isTrying, setIsTrying] = useState(false);
  const now = useNow(!isOnline, 500);

  const tryNow = useCallback(async () => {
    setIsTrying(true);
    try {
      await ping();
      reportReachable();
    } catch {
      reportUnreachable();
    } finally {
      setIsTrying(false);
    }
  }, []);

  // Missed changes are loaded once the stream or a request finds that the server is back.
  const wasOnline = useRef(isOnline);
  useEffect(() => {
    if (isOnline && !wasOnline.current) {
      void queryClient.invalidateQueries();
      void checkPageAge();
    }
    wasOnline.current = isOnline;
  }, [isOnline, queryClient]);

  useEffect(() => {
    const onOffline = () => reportUnreachable();
    addEventListener("offline", onOffline);
    addEventListener("online", tryNow);
    return () => {
      removeEventListener("offline", onOffline);
      removeEventListener("online", tryNow);
    };
  }, [tryNow]);

  useEffect(() => {
    if (isOnline || retryAt === null) return;
    const timer = setTimeout(tryNow, Math.max(0, retryAt - Date.now()));
    return () => clearTimeout(timer);
  }, [isOnline, retryAt, tryNow]);

  if (connectivity.isOnline) return null;
  const seconds =
    retryAt === null || now === null ? null : Math.max(0, Math.ceil(Math.min(RETRY_AFTER_MS, retryAt - now) / 1000));
  return (
    <div className="offline" role="status">
      <WifiOff />
      <b className="b6">{outage}.</b>
      <span className="grow offline-text">
        Showing data from {formatClock(new Date(connectivity.since))}. Edits are saved in this browser and sent when{" "}
        {connectivity.lacks === "network" ? "you are" : "it is"} back.
        {connectivity.lacks === "network" && " Running queries continue on the server."}
      </span>
      <span className="xs num offline-next" aria-hidden="true">
        {isTrying || seconds === 0 ? "Reconnecting" : seconds === null ? "" : `Reconnecting in ${seconds} s`}
      </span>
      <button type="button" className="btn sm" onClick={tryNow}>
        Reconnect
      </button>
    </div>
  );
}
