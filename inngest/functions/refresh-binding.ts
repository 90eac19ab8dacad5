import { inngest } from "@/inngest/client";
import { BINDING_QUEUED_EVENT, type BindingQueued, carryOutBindingRefresh } from "@/lib/features/apps/bindings/refresh";

export const refreshBinding = inngest.createFunction(
  // A source that fails is written down beside the rows. What is tried again is a store that was away.
  { id: "refresh-binding", retries: 2, triggers: [{ event: BINDING_QUEUED_EVENT }] },
  ({ event }) => carryOutBindingRefresh(event.data as BindingQueued),
);
