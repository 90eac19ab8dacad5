"use client";

import { CalendarClock } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { RunHistory } from "@/components/consoles/run-history";
import { SavedView } from "@/components/consoles/saved-view";
import { ScheduleCard } from "@/components/consoles/schedule-card";
import { ResourceDeliveries } from "@/components/notifications/resource-deliveries";
import { ResourceRules } from "@/components/notifications/resource-rules";
import { RulePanel } from "@/components/notifications/rule-panel";
import { useLiveDeliveries, useRulesOf } from "@/components/notifications/use-notifications";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import type { OpenConsole } from "@/components/workspace/use-consoles";
import type { Console } from "@/lib/client/consoles";
import "./schedule.css";

const NEW = "new";

/** When a console runs by itself, how its runs went, and whom that is told. */
export function ScheduleView({ open }: { open: OpenConsole }) {
  return (
    <SavedView
      open={open}
      title="Schedule"
      icon={<CalendarClock />}
      unsaved="A console runs by itself as it is saved. Save it first, then say when."
    >
      {(saved) => <Parts saved={saved} hasEdits={open.draft !== null} />}
    </SavedView>
  );
}

function Parts({ saved, hasEdits }: { saved: Console; hasEdits: boolean }) {
  const { openSchedule } = useConsoleActions();
  const runId = useSearchParams().get("run");
  const [ruleId, setRuleId] = useState<string | null>(null);
  const resource = { resourceType: "scheduled_query" as const, resourceId: saved.id };
  const rules = useRulesOf(resource);
  useLiveDeliveries();
  const rule = rules.data?.find(({ id }) => id === ruleId) ?? null;
  return (
    <div className="panel-host schedule-host">
      <div className="panel-main schedule-page">
        <div className="schedule-grid">
          <div className="schedule-side">
            <ScheduleCard saved={saved} hasEdits={hasEdits} onStarted={(id) => openSchedule(saved.id, id)} />
            <ResourceRules rules={rules} openId={ruleId} onOpen={setRuleId} onAdd={() => setRuleId(NEW)} />
          </div>
          <div className="schedule-main">
            <RunHistory consoleId={saved.id} openId={runId} onOpen={(id) => openSchedule(saved.id, id)} />
            <ResourceDeliveries resource={resource} rules={rules.data ?? []} />
          </div>
        </div>
      </div>
      {(rule !== null || ruleId === NEW) && (
        <RulePanel key={ruleId} rule={rule} resource={resource} onShow={setRuleId} onClose={() => setRuleId(null)} />
      )}
    </div>
  );
}
