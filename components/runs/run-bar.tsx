import { formatCountOf } from "@/lib/platform/browser/format";
import "./runs.css";

type RunBarProps = {
  label: string;
  /** Share from 0 to 1; null if the total is unknown. */
  share: number | null;
  /** Number of rows read so far, shown if there is no share. */
  read: number;
};

/** Progress line of a run. It fills if the source has given a total, and moves otherwise. */
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
      aria-valuetext={percent === null ? `${formatCountOf(read, "row")} read` : undefined}
    >
      <i
        className={percent === null ? "moving" : undefined}
        style={percent === null ? undefined : { width: `${percent}%` }}
      />
    </span>
  );
}
