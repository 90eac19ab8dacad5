import { ChevronRight } from "lucide-react";
import Link from "next/link";
import type { Flow } from "@/lib/features/flows/schema";

type FlowTrailProps = {
  /** Path of the list of flows. */
  root: string;
  /** Null on the flow's page, and while it is unknown. */
  flow: Pick<Flow, "id" | "name"> | null;
  /** Name of the page below the flow. */
  name?: string;
};

/** Breadcrumb of the flow pages. */
export function FlowTrail({ root, flow, name }: FlowTrailProps) {
  return (
    <>
      <Link href={root}>Flows</Link>
      {flow && (
        <>
          <ChevronRight className="xs" />
          <Link className="trunc" href={`${root}/${flow.id}`}>
            {flow.name}
          </Link>
        </>
      )}
      {name !== undefined && (
        <>
          <ChevronRight className="xs" />
          <span>{name}</span>
        </>
      )}
    </>
  );
}
