"use client";

import { useEffect, useState } from "react";

/** Returns a value with a delay, once it has stopped changing. */
export function useLater(value: string, afterMs: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return later;
}
