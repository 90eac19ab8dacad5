"use client";

import { useRunHours } from "@/components/activity/use-run-hours";
import { HourBars } from "@/components/runs/hour-bars";
import type { ResourceType } from "@/lib/features/runs/schema";

/** Runs of the last day by the hour. @param resourceType the only kind to count; undefined for all */
export function RunHours({ resourceType }: { resourceType: ResourceType | undefined }) {
  const data = useRunHours(resourceType);
  if (!data || data.hours.every(({ count }) => count === 0)) return null;
  return (
    <section className="activity-hours" aria-label="Runs in the last 24 hours">
      <HourBars hours={data.hours} what="Runs" />
      {!data.isWhole && <p className="xs t3">Showing the latest runs only.</p>}
    </section>
  );
}
