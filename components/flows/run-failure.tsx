"use client";

import { Play } from "lucide-react";
import Link from "next/link";
import { useFlowActions } from "@/components/flows/use-flow-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections } from "@/components/schema/use-schema";
import { CopyButton } from "@/components/ui/copy-button";
import { Notice } from "@/components/ui/notice";
import { useConnectivity } from "@/components/ui/use-browser";
import type { FlowDetail, FlowRun } from "@/lib/features/flows/browser/client";
import { isGoing } from "@/lib/features/flows/browser/flow-words";

/** Effect of a failed run, and of the next one (docs/develop/flows.md, How rows move). */
const WHAT_STAYS = {
  replaced: "A table is replaced once all of it was read, so what it held is still there. ",
  kept: "What was written before stays, and is not written twice. ",
  doubled:
    "What was written before stays. This flow reads everything and adds it, so a table that was read to its end is there twice then. ",
};

/** Notice with the error of a failed run, in the words of its origin, and the next actions. */
export function RunFailure({ flow, run }: { flow: FlowDetail; run: FlowRun }) {
  const { workspace } = useWorkspace();
  const { data: connections } = useConnections();
  const { isOnline } = useConnectivity();
  const { run: again } = useFlowActions(flow);
  const failed = run.entities.find(({ status }) => status === "failed")?.name;
  const ids = new Set([flow.source?.connectionId, flow.destination.connectionId]);
  const used = connections?.filter(({ id }) => ids.has(id)) ?? [];
  const isBusy = flow.lastRun !== null && isGoing(flow.lastRun);
  return (
    <Notice kind="bad" role="status">
      <p>
        <b className="b6">{failed === undefined ? "The run failed." : `The run failed at ${failed}.`}</b>{" "}
        {run.error ?? "Its log says more."}
      </p>
      <p className="xs t2 run-next">
        Mend the cause, then run it again. {flow.type === "sync" && WHAT_STAYS[toStaying(flow)]}
        {flow.type === "webhook" && "The events wait and are tried again by themselves. "}
      </p>
      <div className="row run-ways">
        {flow.type !== "webhook" && (
          <button
            type="button"
            className="btn sm"
            disabled={!isOnline || isBusy || again.isPending}
            onClick={() => again.mutate()}
          >
            <Play className="s" />
            Run again
          </button>
        )}
        {used.map(({ id, name }) => (
          <Link key={id} className="btn sm" href={`/w/${workspace.slug}/connections/${id}`}>
            <span className="trunc">Open {name}</span>
          </Link>
        ))}
        <Link className="btn sm" href={`/w/${workspace.slug}/flows/${flow.id}/edit`}>
          Open the flow's settings
        </Link>
        {run.error !== null && <CopyButton text={run.error} label="Copy the message" className="btn ghost sm" />}
      </div>
    </Notice>
  );
}

function toStaying({ mode, destination: { write } }: FlowDetail): keyof typeof WHAT_STAYS {
  if (write === "replace") return "replaced";
  return write === "append" && mode === "full" ? "doubled" : "kept";
}
