import type { Connection } from "@/lib/features/connections/browser/client";
import type { FlowDraft } from "@/lib/features/flows/browser/flow-form";

/** Props of each part of a flow's form. */
export type FlowFieldsProps = {
  draft: FlowDraft;
  change: (more: Partial<FlowDraft>) => void;
  connections: Connection[];
  /** Returns the error of a field, by the server's name for it; undefined if it has none. */
  problemOf: (path: string) => string | undefined;
  isDisabled: boolean;
  isNew: boolean;
};
