import type { Connection } from "@/lib/features/connections/schema";
import type { FlowDraft, FlowField } from "@/lib/features/flows/browser/flow-form";

/** Props of each part of a flow's form. */
export type FlowFieldsProps = {
  draft: FlowDraft;
  change: (more: Partial<FlowDraft>) => void;
  connections: Connection[];
  /** Returns the error of a field; undefined if it has none. */
  problemOf: (field: FlowField) => string | undefined;
  isDisabled: boolean;
  isNew: boolean;
};
