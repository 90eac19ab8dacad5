"use client";

import { RefreshCw } from "lucide-react";
import { useStore } from "zustand";
import { isOutdated } from "@/lib/platform/browser/page-age";

/** Says that the server has a newer build than this page, whose missing parts never load, and offers a reload. */
export function OutdatedBanner() {
  const isShown = useStore(isOutdated);
  if (!isShown) return null;
  return (
    <div className="outdated" role="alert">
      <RefreshCw />
      <b className="b6">A new version of Millrace is here.</b>
      <span className="grow offline-text">
        Some of this page works only after a reload. What you typed is kept, and your consoles stay open.
      </span>
      <button type="button" className="btn sm" onClick={() => window.location.reload()}>
        Reload the page
      </button>
    </div>
  );
}
