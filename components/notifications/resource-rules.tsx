"use client";

import type { UseQueryResult } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { RuleSwitch } from "@/components/notifications/rule-switch";
import { ChannelIcon, toRuleHelp, toRuleName, toTriggerWord } from "@/components/notifications/rule-words";
import { useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import type { Rule } from "@/lib/features/notifications/schema";
import "./notifications.css";

type ResourceRulesProps = {
  rules: UseQueryResult<Rule[]>;
  openId: string | null;
  onOpen: (ruleId: string) => void;
  onAdd: () => void;
};

/** Notification rules of one console or flow. */
export function ResourceRules({ rules, openId, onOpen, onAdd }: ResourceRulesProps) {
  const { isAdmin } = useRights();
  return (
    <section className="card told-card" aria-label="Notifications">
      <div className="row between card-head">
        <h2 className="sh">Notifications</h2>
        {isAdmin && (
          <button type="button" className="btn ghost sm" onClick={onAdd}>
            <Plus className="s" />
            Add rule
          </button>
        )}
      </div>
      {rules.isPending && <ListSkeleton label="Loading rules" rows={2} />}
      {rules.isError && !rules.data && <LoadFailure error={rules.error} onRetry={() => rules.refetch()} />}
      {rules.data?.length === 0 && (
        <p className="t2 card-none">
          No notifications yet.{" "}
          {isAdmin ? "Add a rule to get notified when a run fails." : "Only owners and admins can add rules."}
        </p>
      )}
      {rules.data && rules.data.length > 0 && (
        <ul className="rule-lines" aria-label="Rules">
          {rules.data.map((rule) => (
            <li key={rule.id} className={rule.id === openId ? "row marked" : "row"}>
              <ChannelIcon type={rule.channelType} />
              <span className="grow">
                <button type="button" className="row-link b5 trunc" onClick={() => onOpen(rule.id)}>
                  {toRuleName(rule)}
                </button>
                <span className="xs t3 trunc">{toRuleHelp(rule)}</span>
              </span>
              <span className="xs t2">{toTriggerWord(rule.triggers)}</span>
              <RuleSwitch rule={rule} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
