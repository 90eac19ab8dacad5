"use client";

import { BellRing, Plus } from "lucide-react";
import { useAddress, useOwnSteps } from "@/components/layout/use-address";
import { DeliveryLog } from "@/components/notifications/delivery-log";
import { RulePanel } from "@/components/notifications/rule-panel";
import { RuleSwitch } from "@/components/notifications/rule-switch";
import { ChannelIcon, toChannelWord, toRuleName, toTriggerWord } from "@/components/notifications/rule-words";
import { useDeliveries, useLiveDeliveries, useResources, useRules } from "@/components/notifications/use-notifications";
import { StatusWord } from "@/components/runs/status-word";
import { SettingsPage } from "@/components/settings/settings-page";
import { useRights } from "@/components/settings/use-settings";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { ListTable } from "@/components/ui/list-table";
import { LoadFailure } from "@/components/ui/load-failure";
import { LoadMore } from "@/components/ui/load-more";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import type { DeliveryStatus, ListedRule } from "@/lib/features/notifications/schema";
import { formatRowTime } from "@/lib/features/runs/browser/run-words";
import "./notifications.css";

const HEADS = [
  "Recipient",
  "Resource",
  "Outcome",
  { name: "Last delivery", isOptional: true },
  { name: "Enabled", isUnnamed: true },
];

const SHOWS = [
  { value: "all", label: "All rules" },
  { value: "scheduled_query", label: "Consoles" },
  { value: "flow", label: "Flows" },
  { value: "off", label: "Off" },
] as const;
type Show = (typeof SHOWS)[number]["value"];
const STATES: { value: DeliveryStatus | "any"; label: string }[] = [
  { value: "any", label: "Any status" },
  { value: "queued", label: "Queued" },
  { value: "retrying", label: "Retrying" },
  { value: "sent", label: "Sent" },
  { value: "failed", label: "Failed" },
  { value: "skipped", label: "Skipped" },
];
const NEW = "new";

/**
 * Settings page for the workspace's rules and their deliveries. The rule, the filters and the open delivery are in the
 * address.
 */
export function NotificationSettings() {
  const { isAdmin } = useRights();
  const { query, put } = useAddress();
  useOwnSteps();
  const rules = useRules();
  useLiveDeliveries();
  const all = rules.data?.pages.flatMap(({ items }) => items) ?? [];
  const { nameOf } = useResources(all);
  const show = SHOWS.find(({ value }) => value === query.get("show"))?.value ?? "all";
  const shown = all.filter((rule) => isShown(rule, show));
  const ruleId = query.get("rule");
  const open = all.find(({ id }) => id === ruleId) ?? null;
  const isOpen = open !== null || (ruleId === NEW && isAdmin);
  const add = isAdmin && (
    <button type="button" className="btn primary" onClick={() => put({ rule: NEW }, true)}>
      <Plus className="s" />
      New rule
    </button>
  );
  const isEmpty = rules.isSuccess && all.length === 0;
  return (
    <div className="panel-host">
      <SettingsPage title="Notifications" count={all.length > 0 ? all.length : undefined} actions={!isEmpty && add}>
        {!isAdmin && <Notice kind="locked">Only owners and admins can change rules.</Notice>}
        {rules.isPending && <ListSkeleton label="Loading rules" rowPx={44} />}
        {rules.isError && !rules.data && <LoadFailure error={rules.error} onRetry={() => rules.refetch()} />}
        {isEmpty && (
          <div className="empty blank">
            <span className="empty-mark">
              <BellRing />
            </span>
            <h2>No rules yet</h2>
            <p>Get an email, webhook or chat message when a run ends.</p>
            {add && <div className="row">{add}</div>}
          </div>
        )}
        {all.length > 0 && (
          <>
            <div className="row rule-shows">
              <Segments
                label="Filter rules"
                value={show}
                options={SHOWS}
                onChange={(value) => put({ show: value === "all" ? null : value })}
              />
              <span className="xs t3">Get notified when a run ends</span>
            </div>
            {shown.length === 0 && <p className="t2 no-hit">No matching rules.</p>}
            {shown.length > 0 && (
              <ListTable label="Rules" className="rules" columns={HEADS}>
                <tbody>
                  {shown.map((rule) => (
                    <RuleRow
                      key={rule.id}
                      rule={rule}
                      of={nameOf(rule)}
                      isMarked={rule.id === open?.id}
                      onOpen={() => put({ rule: rule.id }, true)}
                    />
                  ))}
                </tbody>
              </ListTable>
            )}
            <LoadMore pages={rules} className="btn more" />
          </>
        )}
        {rules.data && <Log rules={all} isEmpty={isEmpty} />}
      </SettingsPage>
      {isOpen && (
        <RulePanel
          key={ruleId}
          rule={open}
          onShow={(id) => put({ rule: id }, true)}
          onClose={() => put({ rule: null }, true)}
        />
      )}
    </div>
  );
}

type RuleRowProps = { rule: ListedRule; of: string; isMarked: boolean; onOpen: () => void };

function RuleRow({ rule, of, isMarked, onOpen }: RuleRowProps) {
  const last = rule.lastDelivery;
  return (
    <tr className={isMarked ? "marked" : undefined}>
      <td className="cut goes">
        <span className="row rule-goes">
          <ChannelIcon type={rule.channelType} />
          <button type="button" className="row-link trunc" aria-current={isMarked || undefined} onClick={onOpen}>
            {toRuleName(rule)}
          </button>
        </span>
      </td>
      <td data-label="Resource" className="t2 cut for" title={of}>
        {of}
      </td>
      <td data-label="Outcome" className="t2">
        {toTriggerWord(rule.triggers)}
      </td>
      <td data-label="Last delivery" className="opt">
        {last ? (
          <span className="row">
            <StatusWord status={last.status} />
            <span className="xs t3 num">{formatRowTime(new Date(last.createdAt), new Date())}</span>
          </span>
        ) : (
          <span className="xs t3">No deliveries yet</span>
        )}
      </td>
      <td data-label="Enabled" className="r">
        <span className="acts">
          <RuleSwitch rule={rule} />
        </span>
      </td>
    </tr>
  );
}

function Log({ rules, isEmpty }: { rules: ListedRule[]; isEmpty: boolean }) {
  const { query, put } = useAddress();
  const state = STATES.find(({ value }) => value === query.get("state"))?.value ?? "any";
  const ruleId = query.get("by");
  const deliveries = useDeliveries({ status: state === "any" ? null : state, ruleId });
  const { nameOf } = useResources(rules);
  const names = new Map(rules.map((rule) => [rule.id, toRuleName(rule)]));
  const items = deliveries.data?.pages.flatMap((page) => page.items) ?? [];
  const isFiltered = state !== "any" || ruleId !== null;
  // Without rules and deliveries there is nothing to show.
  if (isEmpty && !isFiltered && items.length === 0) return null;
  return (
    <section aria-label="Delivery log">
      <div className="log-head">
        <h2>Delivery log</h2>
        <span className="xs t3">Last 30 days</span>
        <span className="grow" />
        <div className="log-filter wide">
          <Select
            label="Rule"
            size="sm"
            value={ruleId ?? "any"}
            options={[
              { value: "any", label: "Any rule" },
              ...rules.map((rule) => ({ value: rule.id, label: toRuleName(rule), note: nameOf(rule) })),
            ]}
            onChange={(value) => put({ by: value === "any" ? null : value })}
          />
        </div>
        <div className="log-filter">
          <Select
            label="Status"
            size="sm"
            value={state}
            options={STATES}
            onChange={(value) => put({ state: value === "any" ? null : value })}
          />
        </div>
      </div>
      {deliveries.isPending && <ListSkeleton label="Loading deliveries" rowPx={44} />}
      {deliveries.isError && !deliveries.data && (
        <LoadFailure error={deliveries.error} onRetry={() => deliveries.refetch()} />
      )}
      {deliveries.isSuccess && items.length === 0 && (
        <p className="t2 no-hit">
          {isFiltered ? "No matching deliveries." : "No deliveries yet. Open a rule and send a test."}
        </p>
      )}
      {items.length > 0 && (
        <DeliveryLog
          deliveries={items}
          nameOf={(each) => names.get(each.ruleId) ?? toChannelWord(each.channelType)}
          hasResource
          openId={query.get("delivery")}
          onOpen={(id) => put({ delivery: id })}
        />
      )}
      <LoadMore pages={deliveries} className="btn more" />
    </section>
  );
}

function isShown(rule: ListedRule, show: Show): boolean {
  if (show === "all") return true;
  return show === "off" ? !rule.enabled : rule.resourceType === show;
}
