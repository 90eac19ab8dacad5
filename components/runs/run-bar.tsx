import { formatCount } from "@/lib/platform/browser/format";
import "./runs.css";

type RunBarProps = {
  label: string;
  /** From 0 to 1; null where nobody knows how much there is. */
  share: number | null;
  /** Rows that were read so far, which is what can be said without a share. */
  read: number;
};

/** How far a run is, as a line: it fills where the source has said how much there is, and moves where it has not. */
export function RunBar({ label, share, read }: RunBarProps) {
  const percent = share === null ? null : Math.floor(share * 100);
  return (
    <span
      className="run-bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
      aria-valuetext={percent === null ? `${formatCount(read)} rows read` : undefined}
    >
      <i
        className={percent === null ? "moving" : undefined}
        style={percent === null ? undefined : { width: `${percent}%` }}
      />
    </span>
  );
}
