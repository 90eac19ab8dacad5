"use client";

import { useLayoutEffect } from "react";

/**
 * Runs boot.js where nothing has: Next sends what is not there as a page that the browser draws by itself, and scripts that
 * are drawn do not run.
 */
export function LateBoot() {
  useLayoutEffect(() => {
    if (document.documentElement.dataset.themeChoice !== undefined) return;
    document.head.append(Object.assign(document.createElement("script"), { src: "/boot.js" }));
  }, []);
  return null;
}
