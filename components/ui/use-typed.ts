"use client";

import { useEffect, useRef, useState } from "react";

/**
 * Returns the text of a field whose value is stored elsewhere and comes back late, such as in the address. Rendered
 * from that value alone, the field would lose letters typed in between.
 * @param value the stored value; a value that was not typed here replaces the text
 */
export function useTyped(value: string, put: (text: string) => void): [typed: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const sent = useRef<string[]>([]);
  useEffect(() => {
    const at = sent.current.indexOf(value);
    sent.current = at < 0 ? [] : sent.current.slice(at + 1);
    if (at < 0) setTyped(value);
  }, [value]);
  const type = (text: string) => {
    sent.current.push(text);
    setTyped(text);
    put(text);
  };
  return [typed, type];
}
