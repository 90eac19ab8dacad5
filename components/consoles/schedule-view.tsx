"use client";

import { CalendarClock } from "lucide-react";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { ConsoleBar, PhoneHead } from "@/components/consoles/console-head";
import { RunHistory } from "@/components/consoles/run-history";
import { ScheduleCard } from "@/components/consoles/schedule-card";
import { ResourceDeliveries } from "@/components/notifications/resource-deliveries";
import { ResourceRules } from "@/components/notifications/resource-rules";
import { RulePanel } from "@/components/notifications/rule-panel";
import { useLiveDeliveries, useRulesOf } from "@/components/notifications/use-notifications";
import { Keys } from "@/components/ui/keys";
import { useIsPhone } from "@/components/ui/use-browser";
import { useConsoleActions } from "@/components/workspace/use-console-actions";
import type { OpenConsole } from "@/components/workspace/use-consoles";
import { useDatabases } from "@/components/workspace/use-schema";
import type { Console } from "@/lib/client/consoles";
import "./schedule.css";

const NEW = "new";

/** When a console runs by itself, how its runs went, and whom that is told. */
export function ScheduleView({ open }: { open: OpenConsole }) {
  const isPhone = useIsPhone();
  const connection = useDatabases().find(({ id }) => id === open.connectionId) ?? null;
  useEffect(() => {
    document.title = `Schedule of ${open.name} - Millrace`;
  }, [open.name]);
  return (
    <div className="console" role="tabpanel" id="console-panel" aria-labelledby={`tab-${open.id}`}>
      {isPhone ? <PhoneHead draft={open} connection={null} /> : <ConsoleBar draft={open} connection={connection} />}
      {open.saved ? <Parts saved={open.saved} hasEdits={open.draft !== null} /> : <NotSaved id={open.id} />}
    </div>
  );
}

function NotSaved({ id }: { id: string }) {
  const { save } = useConsoleActions();
  return (
    <div className="bench-empty">
      <div className="empty">
        <span className="empty-mark">
          <CalendarClock />
        </span>
        <h2>Not saved yet</h2>
        <p>A console runs by itself as it is saved. Save it first, then say when.</p>
        <div className="row">
          <button type="button" className="btn primary" onClick={() => void save(id)}>
            Save
            <Keys keys="mod+s" />
          </button>
        </div>
      </div>
    </div>
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
