"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMetricsKey } from "@/components/metrics/use-metrics";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { toMessage } from "@/components/ui/to-message";
import { useSingleMutation } from "@/components/ui/use-single-flight";
import { metricApi } from "@/lib/features/metrics/browser/client";
import type { MetricItem } from "@/lib/features/metrics/schema";

type DeleteMetricProps = { saved: MetricItem; isOpen: boolean; onClose: () => void; onDeleted: () => void };

/** Asks for confirmation before a metric file is deleted, and names its metrics and uses. */
export function DeleteMetric({ saved, isOpen, onClose, onDeleted }: DeleteMetricProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const remove = useSingleMutation(
    useMutation({
      mutationFn: () => metricApi.remove(workspace.id, saved.name),
      onSuccess: async () => {
        announce(`${saved.name} deleted`);
        onDeleted();
        await client.invalidateQueries({ queryKey: toMetricsKey(workspace.id), exact: true });
      },
    }),
  );
  return (
    <Confirm
      title={`Delete ${saved.name}?`}
      action="Delete metric"
      isOpen={isOpen}
      isBusy={remove.isPending || remove.isSuccess}
      failure={remove.isError ? toMessage(remove.error) : null}
      onConfirm={() => remove.mutate()}
      onClose={() => {
        remove.reset();
        onClose();
      }}
    >
      <p>The file defines {saved.metrics.join(", ") || "no metrics"}.</p>
      {saved.usedBy.length > 0 && <p>Used by {saved.usedBy.map(({ name }) => name).join(", ")}.</p>}
      <p>Its history stays in the repository.</p>
    </Confirm>
  );
}
