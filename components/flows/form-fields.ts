import type { Connection } from "@/lib/client/connections";
import type { FlowDraft } from "@/lib/ui/flow-form";

/** What each part of a flow's form is handed. */
export type FlowFieldsProps = {
  draft: FlowDraft;
  change: (more: Partial<FlowDraft>) => void;
  connections: Connection[];
  /** What is wrong at a field, by the server's name of it; undefined when nothing is. */
  problemOf: (path: string) => string | undefined;
  isDisabled: boolean;
  isNew: boolean;
};
