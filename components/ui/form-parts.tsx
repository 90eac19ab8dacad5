import type { ReactNode } from "react";
import { Notice } from "@/components/ui/notice";

/** Message of a failed request, above the fields of its form; nothing without one. */
export function FormFailure({ text }: { text: string | null | undefined }) {
  if (!text) return null;
  return (
    <Notice kind="bad" role="alert">
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
