"use client";

import { useQueryClient } from "@tanstack/react-query";
import { NamesField } from "@/components/flows/names-field";
import { toFlowKey } from "@/components/flows/use-flows";
import { useWorkspace } from "@/components/layout/workspace-context";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { SwitchRow } from "@/components/ui/switch-row";
import { useServerForm } from "@/components/ui/use-server-form";
import { flowsApi } from "@/lib/features/flows/browser/client";
import type { Flow, Provisioned } from "@/lib/features/flows/schema";

type ProvisionWebhookProps = {
  flow: Flow;
  /** Whether it has no address yet, so none stops working. */
  isNew: boolean;
  onDone: (made: Provisioned) => void;
  onClose: () => void;
};

/** Dialog that opens the address of a webhook flow, or replaces it and its secret. */
export function ProvisionWebhook({ flow, isNew, onDone, onClose }: ProvisionWebhookProps) {
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const { failure, isBusy, submit, control, problemOf } = useServerForm<{ events: string[]; verifySignature: boolean }>(
    {
      initial: { events: [], verifySignature: true },
      fields: ["events"],
      send: async ({ events, verifySignature }) => {
        const made = await flowsApi.provision(workspace.id, flow.id, {
          verifySignature,
          ...(events.length > 0 && { events }),
        });
        announce("Endpoint URL created. Copy the signing secret now.");
        onDone(made);
        await client.invalidateQueries({ queryKey: toFlowKey(workspace.id, flow.id) });
      },
    },
  );
  const events = control("events");
  const verifySignature = control("verifySignature");
  return (
    <Confirm
      title={isNew ? "Create endpoint URL?" : "Rotate URL and secret?"}
      action={isNew ? "Create endpoint URL" : "Rotate URL and secret"}
      isOpen
      isBusy={isBusy}
      isDanger={!isNew}
      failure={failure}
      onConfirm={() => void submit()}
      onClose={onClose}
    >
      <p>
        {isNew
          ? "Creates an endpoint URL and a signing secret. The secret is shown once."
          : "The current URL and secret stop working now. Update every sender with the new ones. Review the settings below."}
      </p>
      <SwitchRow
        label="Require signature"
        help="Standard Webhooks or X-Service-Signature. When off, anyone with the URL can send events."
        isOn={verifySignature.value}
        onChange={verifySignature.onChange}
      />
      <NamesField
        label="Event types"
        {...events}
        error={problemOf("events")}
        help="Comma-separated. Leave empty to accept all types."
        isDisabled={false}
      />
    </Confirm>
  );
}
