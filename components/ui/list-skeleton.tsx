import "@/components/ui/page.css";

const WIDTHS = [62, 48, 70, 40];

/** Placeholder rows of a list. They appear after a moment, so that a quick answer does not flicker. */
export function ListSkeleton({ label, rows = 4, rowPx = 54 }: { label: string; rows?: number; rowPx?: number }) {
  return (
    <div className="list-skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names and never move
        <div key={i} style={{ height: rowPx }}>
          <i className="bone" style={{ width: `${WIDTHS[i % WIDTHS.length]}%` }} />
        </div>
      ))}
    </div>
  );
}
