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

type FieldMessageProps = { id: string; problem: ReactNode; help: ReactNode; isWarning?: boolean };

/**
 * The line below a field: its problem, or its help while it has none.
 * @param id of the field; `messageIdOf` returns the message's
 */
export function FieldMessage({ id, problem, help, isWarning = false }: FieldMessageProps) {
  return (
    <>
      <FieldProblem id={`${id}-problem`} text={problem} />
      {help && !problem && (
        <div id={`${id}-help`} className={isWarning ? "help warn" : "help"}>
          {help}
        </div>
      )}
    </>
  );
}

/** Returns the id of a field's message, for `aria-describedby` of the control; undefined without one. */
export function messageIdOf(id: string, problem: ReactNode, help: ReactNode): string | undefined {
  if (problem) return `${id}-problem`;
  return help ? `${id}-help` : undefined;
}

/** Problem of a field; read out when it appears. @param id for `aria-describedby` of the control */
export function FieldProblem({ id, text }: { id?: string; text: ReactNode }) {
  return (
    <div id={id} className="help bad" aria-live="polite" hidden={!text}>
      {text}
    </div>
  );
}
