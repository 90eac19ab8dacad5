/** A placeholder for the chart. It appears after a moment, so that a quick response does not flicker. */
export function WidgetSkeleton() {
  return (
    <div className="widget-skeleton" role="status" aria-label="Loading data">
      <i className="bone" />
      <i className="bone" />
      <i className="bone" />
    </div>
  );
}
