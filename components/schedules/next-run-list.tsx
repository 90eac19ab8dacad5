import { Clock } from "lucide-react";
import type { NextRun } from "@/lib/features/runs/browser/next-runs";
import { formatStamp } from "@/lib/platform/browser/format-time";

type NextRunListProps = {
  runs: NextRun[];
  isOn: boolean;
  zone: string;
};

/** The next runs in the clock of their zone, with the effect of a clock change. */
export function NextRunList({ runs, isOn, zone }: NextRunListProps) {
  return (
    <div className="schedule-next">
      {isOn ? (
        <>
          <p className="xs t3">Next runs in {zone}</p>
          <ol aria-label="Next runs" className="xs t2 num">
            {runs.map(({ at, text, note }) => (
              <li key={at.toISOString()}>
                <time dateTime={at.toISOString()} title={formatStamp(at)}>
                  {text}
                </time>
                {note && (
                  <span className="row schedule-clock">
                    <Clock className="xs" />
                    {note}
                  </span>
                )}
              </li>
            ))}
          </ol>
        </>
      ) : (
        <p className="xs t3">The schedule is off.</p>
      )}
    </div>
  );
}
