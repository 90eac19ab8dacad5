"use client";

import { useEffect, useState } from "react";

/** A value as it was a moment ago, once it has stood still. */
export function useLater(value: string, afterMs: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return later;
}
