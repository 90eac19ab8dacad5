import type { Usage } from "@/lib/features/connections/browser/client";
import "./usage-list.css";

/** Lists what uses a connection or one of its tables. */
export function UsageList({ usages }: { usages: readonly Usage[] }) {
  return (
    <ul className="usages">
      {usages.map(({ kind, id, name }) => (
        <li key={`${kind}:${id}`}>
          <span className="tag">{toKindWord(kind)}</span>
          <span className="trunc">{name}</span>
        </li>
      ))}
    </ul>
  );
}

/** Formats "scheduled_console" for display. */
function toKindWord(kind: string): string {
  return kind.replace(/_/g, " ");
}
