import type { Connection } from "@/lib/features/connections/browser/client";
import type { FlowDraft } from "@/lib/features/flows/browser/flow-form";

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
