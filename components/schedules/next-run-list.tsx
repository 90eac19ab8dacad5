import { Clock } from "lucide-react";
import { formatStamp } from "@/lib/ui/format-time";
import type { NextRun } from "@/lib/ui/next-runs";

type NextRunListProps = {
  /** The schedule in words; null where there are none for it. */
  words: string | null;
  runs: NextRun[];
  isOn: boolean;
  zone: string;
};

/** What a schedule means: in words, and the next runs on the clock of its zone, with what a change of clocks does. */
export function NextRunList({ words, runs, isOn, zone }: NextRunListProps) {
  return (
    <div className="schedule-next">
      <p className="b6">{words ?? "At the times that the expression names"}</p>
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
        <p className="xs t3">It is off: nothing runs by itself until it is on again.</p>
      )}
    </div>
  );
}
