"use client";

import { useWorkspace } from "@/components/layout/workspace-context";
import { toMetricsKey } from "@/components/metrics/use-metrics";
import { ConfirmDelete } from "@/components/ui/confirm-delete";
import { metricApi } from "@/lib/features/metrics/browser/client";
import type { MetricItem } from "@/lib/features/metrics/schema";

type DeleteMetricProps = { saved: MetricItem; isOpen: boolean; onClose: () => void; onDeleted: () => void };

/** Asks for confirmation before a metric file is deleted, and names its metrics and uses. */
export function DeleteMetric({ saved, ...props }: DeleteMetricProps) {
  const { workspace } = useWorkspace();
  return (
    <ConfirmDelete
      {...props}
      name={saved.name}
      noun="metric"
      listKey={toMetricsKey(workspace.id)}
      onDelete={() => metricApi.remove(workspace.id, saved.name)}
    >
      <p>The file defines {saved.metrics.join(", ") || "no metrics"}.</p>
      {saved.usedBy.length > 0 && <p>Used by {saved.usedBy.map(({ name }) => name).join(", ")}.</p>}
      <p>Its history stays in the repository.</p>
    </ConfirmDelete>
  );
}
