import type { Run } from "@/lib/features/runs/schema";
import "./runs.css";

/** Number of runs in the spark: as many as can be distinguished at a glance. */
const SHOWN = 12;
const LOWEST = 0.25;

/** Bars of the last runs: the height is the duration, the colour the status. */
export function RunSpark({ runs }: { runs: Run[] }) {
  const ended = runs.filter(({ status }) => status === "success" || status === "failure");
  const shown = runs.slice(0, SHOWN).reverse();
  const longest = Math.max(1, ...shown.map(({ durationMs }) => durationMs ?? 0));
  const good = ended.filter(({ status }) => status === "success").length;
  if (shown.length === 0) return null;
  return (
    <span className="row">
      {ended.length > 0 && (
        <span className="xs t3 num">
          {good} of {ended.length} succeeded
        </span>
      )}
      <span className="spark" aria-hidden="true">
        {shown.map(({ id, status, durationMs }) => (
          <i
            key={id}
            className={status}
            style={{ height: `${Math.max(LOWEST, (durationMs ?? 0) / longest) * 100}%` }}
          />
        ))}
      </span>
    </span>
  );
}
