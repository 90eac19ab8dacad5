"use client";

import { useQueryClient } from "@tanstack/react-query";
import { WifiOff } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useConnectivity, useNow } from "@/components/ui/use-browser";
import { api } from "@/lib/client/api";
import { RETRY_AFTER_MS, reportReachable, reportUnreachable } from "@/lib/client/connectivity";

/** Says that the server cannot be reached, and asks again until it can. */
export function OfflineBanner() {
  const { isOnline, retryAt } = useConnectivity();
  const queryClient = useQueryClient();
  const [isTrying, setIsTrying] = useState(false);
  const now = useNow(!isOnline, 500);

  const tryNow = useCallback(async () => {
    setIsTrying(true);
    try {
      await api.ping();
      reportReachable();
      await queryClient.invalidateQueries();
    } catch {
      reportUnreachable();
    } finally {
      setIsTrying(false);
    }
  }, [queryClient]);

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

  if (isOnline) return null;
  const seconds =
    retryAt === null || now === null ? null : Math.max(0, Math.ceil(Math.min(RETRY_AFTER_MS, retryAt - now) / 1000));
  return (
    <div className="offline" role="status">
      <WifiOff />
      <b className="b6">You are offline.</b>
      <span className="grow offline-text">
        Your edits are kept in this browser and sent when you are back. Runs already started go on.
      </span>
      <span className="xs num" aria-hidden="true">
        {isTrying || seconds === 0 ? "Trying" : seconds === null ? "" : `Trying again in ${seconds} s`}
      </span>
      <button type="button" className="btn sm" onClick={tryNow}>
        Try now
      </button>
    </div>
  );
}
