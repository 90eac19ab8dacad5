import type { ReactNode } from "react";

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
  children: ReactNode;
}) {
  return (
    <main className="lone">
      <div className="card empty">
        <span className="empty-mark">{icon}</span>
        <h1>{title}</h1>
        <p>{text}</p>
        <div className="row">{children}</div>
      </div>
    </main>
  );
}
