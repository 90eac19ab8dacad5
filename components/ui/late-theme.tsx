"use client";

import { useLayoutEffect } from "react";

/**
 * The theme of a page that the server could not draw: the browser draws what is not there by itself, and then runs no script
 * of the head.
 */
export function LateTheme() {
  useLayoutEffect(() => {
    if (document.documentElement.dataset.themeChoice !== undefined) return;
    document.head.append(Object.assign(document.createElement("script"), { src: "/boot.js" }));
  }, []);
  return null;
}
