import { ChevronRight } from "lucide-react";
import Link from "next/link";
import type { Flow } from "@/lib/features/flows/browser/client";

type FlowTrailProps = {
  /** Where the flows are. */
  root: string;
  /** Null on the flow's own page, and where it is not known. */
  flow: Pick<Flow, "id" | "name"> | null;
  /** Below it. */
  name?: string;
};

/** Where a page of flows belongs. */
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
