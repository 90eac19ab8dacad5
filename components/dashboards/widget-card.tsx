"use client";

import { TriangleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import { WidgetBody } from "@/components/dashboards/widget-body";
import type { WidgetPress } from "@/components/dashboards/widget-press";
import { useNow } from "@/components/ui/use-browser";
import { hasOldRows } from "@/lib/features/dashboards/browser/old-rows";
import type { Period } from "@/lib/features/dashboards/browser/period-words";
import { readsData, traitsOf } from "@/lib/features/dashboards/kinds/traits";
import type { Widget, WidgetData } from "@/lib/features/dashboards/schema";
import { formatAgo, formatStamp } from "@/lib/platform/browser/format-time";

const AGE_EVERY_MS = 30_000;

type WidgetCardProps = {
  widget: Pick<Widget, "id" | "kind" | "title" | "spec">;
  data: WidgetData | undefined;
  isAwaited: boolean;
  /** Newer data is pending and slow. */
  isOld: boolean;
  press: WidgetPress;
  period: Period;
  /** Called when the pointer or focus enters the widget, where a click may follow. */
  onEnter: () => void;
  onLeave: () => void;
  /** Actions on the widget, if any. */
  menu: ReactNode;
};

/** One widget in its card: title, age where it matters, and a menu. */
export function WidgetCard({ widget, data, isAwaited, isOld, press, period, onEnter, onLeave, menu }: WidgetCardProps) {
  const { kind, title } = widget;
  const titleId = useId();
  const isStatic = !readsData(widget);
  const hasHead = !isStatic || title !== "";
  return (
    // An article, not a region: sixty regions would hide the few useful ones from screen-reader navigation.
    <article
      className="card widget-card"
      data-slow={isOld && !isStatic && data !== undefined}
      aria-labelledby={hasHead ? titleId : undefined}
      aria-label={traitsOf(kind).label}
      onPointerEnter={isStatic ? undefined : onEnter}
      onFocus={isStatic ? undefined : onEnter}
      onPointerLeave={isStatic ? undefined : onLeave}
    >
      {hasHead && (
        <div className="widget-head">
          <h2 id={titleId} className="trunc" title={title}>
            {title || traitsOf(kind).label}
          </h2>
          {data && hasOldRows(data) && data.cachedAt !== null && <OldMark cachedAt={data.cachedAt} />}
          {menu}
        </div>
      )}
      {isStatic || data !== undefined || isAwaited ? (
        <WidgetBody widget={widget} data={data} press={press} period={period} />
      ) : (
        <p className="widget-said">Couldn't load data.</p>
      )}
    </article>
  );
}

function OldMark({ cachedAt }: { cachedAt: string }) {
  const now = useNow(true, AGE_EVERY_MS);
  const at = new Date(cachedAt);
  return (
    <span className="st warn" title={`Refreshed ${formatStamp(at)}`}>
      <TriangleAlert className="xs" />
      {now === null ? "" : formatAgo(at, new Date(now))}
    </span>
  );
}
