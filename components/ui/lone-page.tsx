import type { ReactNode } from "react";
import { LateBoot } from "@/components/ui/late-boot";

/** A page of one sentence and one action. */
export function LonePage({
  icon,
  title,
  text,
  children,
}: {
  icon: ReactNode;
  title: string;
  text: string;
  children?: ReactNode;
}) {
  return (
    <main className="lone">
      <LateBoot />
      <div className="card empty">
        <span className="empty-mark">{icon}</span>
        <h1>{title}</h1>
        <p>{text}</p>
        {children && <div className="row">{children}</div>}
      </div>
    </main>
  );
}
