"use client";

import { type ReactNode, useEffect, useRef } from "react";
import { Notice } from "@/components/ui/notice";

/** Message of a failed request, above the fields of its form; nothing without one. A long form scrolls to it. */
export function FormFailure({ text }: { text: string | null | undefined }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (text) ref.current?.scrollIntoView({ block: "nearest" });
  }, [text]);
  if (!text) return null;
  return (
    <Notice kind="bad" role="alert" ref={ref}>
      {text}
    </Notice>
  );
}

/** Problem of a field; read out when it appears. @param id for `aria-describedby` of the control */
export function FieldProblem({ id, text }: { id?: string; text: ReactNode }) {
  return (
    <div id={id} className="help bad" aria-live="polite" hidden={!text}>
      {text}
    </div>
  );
}
