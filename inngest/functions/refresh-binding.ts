import { inngest } from "@/inngest/client";
import { BINDING_QUEUED_EVENT, type BindingQueued, executeBindingRefresh } from "@/lib/features/apps/bindings/refresh";

export const refreshBinding = inngest.createFunction(
  // A failed source is recorded beside the rows. Retries are for an unreachable database.
  { id: "refresh-binding", retries: 2, triggers: [{ event: BINDING_QUEUED_EVENT }] },
  ({ event }) => executeBindingRefresh(event.data as BindingQueued),
);
