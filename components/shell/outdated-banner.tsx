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
      <b className="b6">A new version of Millrace is available.</b>
      <span className="grow offline-text">Reload to keep everything working. Your drafts and tabs are kept.</span>
      <button type="button" className="btn sm" onClick={() => window.location.reload()}>
        Reload page
      </button>
    </div>
  );
}
