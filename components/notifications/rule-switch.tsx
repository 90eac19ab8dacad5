"use client";

import { Switch } from "@base-ui/react/switch";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toRuleName } from "@/components/notifications/rule-words";
import { RULES } from "@/components/notifications/use-notifications";
import { useChange, useRights } from "@/components/settings/use-settings";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { notificationApi } from "@/lib/features/notifications/browser/client";
import type { Rule } from "@/lib/features/notifications/schema";

/** Switch that turns a rule on and off; members see its state. */
export function RuleSwitch({ rule }: { rule: Rule }) {
  const { workspace } = useWorkspace();
  const { isAdmin } = useRights();
  const change = useChange([RULES], (enabled: boolean) =>
    notificationApi.updateRule(workspace.id, rule.id, { enabled }),
  );
  return (
    <Switch.Root
      className="switch"
      // While the request is pending the new state is shown.
      checked={change.isPending ? change.variables : rule.enabled}
      disabled={!isAdmin}
      onCheckedChange={(isOn) => change.mutate(isOn, { onError: (error) => showFailure(toMessage(error)) })}
      aria-label={`Enable the rule for ${toRuleName(rule)}`}
    >
      <Switch.Thumb className="switch-thumb" />
    </Switch.Root>
  );
}
