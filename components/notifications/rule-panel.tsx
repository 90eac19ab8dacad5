"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RefreshCw, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { viewOf } from "@/components/notifications/channels/registry";
import { RuleForm } from "@/components/notifications/rule-form";
import { RuleTest } from "@/components/notifications/rule-test";
import { toRuleName } from "@/components/notifications/rule-words";
import { RULES } from "@/components/notifications/use-notifications";
import { VerifyHelp } from "@/components/notifications/verify-help";
import { keepNewSecret, useNewSecret } from "@/components/settings/one-time-secrets";
import { SecretBanner } from "@/components/settings/secret-banner";
import { useRights } from "@/components/settings/use-settings";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { SidePanel } from "@/components/ui/side-panel";
import { toMessage } from "@/components/ui/to-message";
import { notificationApi, type Resource } from "@/lib/features/notifications/browser/client";
import type { Rule, SavedRule } from "@/lib/features/notifications/schema";
import "./notifications.css";

type RulePanelProps = {
  /** Null for a new one. */
  rule: Rule | null;
  resource?: Resource;
  /** Shows another rule, such as one just created. */
  onShow: (ruleId: string) => void;
  onClose: () => void;
};

/** Panel of one rule: its settings, a test, and its deletion. */
export function RulePanel({ rule, resource, onShow, onClose }: RulePanelProps) {
  const formId = useId();
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const queryClient = useQueryClient();
  const fresh = useNewSecret(workspace.id);
  const [question, setQuestion] = useState<"delete" | "rotate" | null>(null);
  const refresh = () => queryClient.invalidateQueries({ queryKey: [RULES] });
  const keep = (saved: SavedRule) => {
    if (saved.signingSecretOnce === undefined) return;
    keepNewSecret(workspace.id, { ruleId: saved.id, name: toRuleName(saved), secret: saved.signingSecretOnce });
  };
  const remove = useMutation({
    mutationFn: (id: string) => notificationApi.removeRule(workspace.id, id),
    onSuccess: async () => {
      if (fresh?.ruleId === rule?.id) keepNewSecret(workspace.id, null);
      announce("Rule deleted");
      onClose();
      await refresh();
    },
  });
  const rotate = useMutation({
    mutationFn: (id: string) => notificationApi.updateRule(workspace.id, id, { rotateWebhookSecret: true }),
    onSuccess: async (saved) => {
      setQuestion(null);
      keep(saved);
      await refresh();
    },
  });
  const name = rule ? toRuleName(rule) : "New rule";
  return (
    <SidePanel
      title={name}
      onClose={onClose}
      actions={
        rule &&
        isAdmin && (
          <button
            type="button"
            className="btn ghost icon sm"
            aria-label="Delete rule"
            onClick={() => setQuestion("delete")}
          >
            <Trash2 />
          </button>
        )
      }
      foot={
        isAdmin && (
          <>
            <button type="button" className="btn ghost" onClick={onClose}>
              {rule ? "Discard" : "Cancel"}
            </button>
            <button type="submit" form={formId} className="btn primary">
              {rule ? "Save rule" : "Add rule"}
            </button>
          </>
        )
      }
    >
      {!isAdmin && <Notice kind="locked">Only owners and admins can change rules.</Notice>}
      {fresh && fresh.ruleId === rule?.id && (
        <SecretBanner
          key={fresh.secret}
          name={`the signing secret of ${fresh.name}`}
          noun="secret"
          secret={fresh.secret}
          lost="You won't see it again. You can rotate it later."
          onSaved={() => keepNewSecret(workspace.id, null)}
        >
          <VerifyHelp />
        </SecretBanner>
      )}
      <RuleForm
        key={rule?.id ?? "new"}
        id={formId}
        rule={rule}
        {...(resource && { resource })}
        readOnly={!isAdmin}
        onSaved={(saved) => {
          keep(saved);
          if (rule === null) onShow(saved.id);
        }}
      >
        {rule && isAdmin && viewOf(rule.channelType).isSigned && (
          <div className="row between xs t2">
            <span>Signing secret</span>
            <button type="button" className="btn ghost sm" onClick={() => setQuestion("rotate")}>
              <RefreshCw className="s" />
              Rotate secret
            </button>
          </div>
        )}
      </RuleForm>
      {rule && isAdmin && <RuleTest key={`test ${rule.id}`} rule={rule} />}
      <Confirm
        title="Delete this rule?"
        action="Delete rule"
        isOpen={question === "delete"}
        isBusy={remove.isPending}
        failure={remove.isError ? toMessage(remove.error) : null}
        onConfirm={() => rule && remove.mutate(rule.id)}
        onClose={() => setQuestion(null)}
      >
        <p>
          <b>{name}</b> no longer gets notifications, including queued ones. Its delivery log is kept for 30 days.
        </p>
      </Confirm>
      <Confirm
        title="Rotate secret?"
        action="Rotate secret"
        isOpen={question === "rotate"}
        isBusy={rotate.isPending}
        failure={rotate.isError ? toMessage(rotate.error) : null}
        onConfirm={() => rule && rotate.mutate(rule.id)}
        onClose={() => setQuestion(null)}
      >
        <p>The old secret stops working now. Deliveries fail verification until you update the receiver.</p>
      </Confirm>
    </SidePanel>
  );
}
