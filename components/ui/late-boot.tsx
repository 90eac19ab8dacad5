"use client";

import { useEffect } from "react";

/**
 * Runs boot.js where nothing has: Next sends what is not there as a page that the browser draws by itself, and scripts that
 * are drawn do not run.
 */
export function LateBoot() {
  useEffect(() => {
    if (document.documentElement.dataset.themeChoice !== undefined) return;
    const script = document.createElement("script");
    script.src = "/boot.js";
    document.head.append(script);
  }, []);
  return null;
}
