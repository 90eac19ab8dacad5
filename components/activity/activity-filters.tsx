"use client";

import { Search } from "lucide-react";
import { KINDS, PERIODS, STATES } from "@/components/activity/filters";
import { usePersonWords } from "@/components/activity/use-person-words";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useFindConnection } from "@/components/schema/use-schema";
import { useMemberNames, useMembers } from "@/components/settings/use-settings";
import { Select, type SelectProps } from "@/components/ui/select";
import { useTyped } from "@/components/ui/use-typed";
import type { ActivityFilter } from "@/lib/features/runs/browser/activity";

const ANY = "any";

type Put = (name: string, value: string | null) => void;
type ActivityFiltersProps = {
  filter: ActivityFilter;
  /** Sets a part of the address; null removes it. */
  put: Put;
  /** Number of matches in words; null while they are loading. */
  count: string | null;
};

/** Filters of the activity: time, status, type, connection, person and text. */
export function ActivityFilters({ filter, put, count }: ActivityFiltersProps) {
  const { user } = useWorkspace();
  const connections = useConnections();
  const chosen = useFindConnection()(filter.connectionId);
  const loaded = connections.data ?? [];
  const offered = chosen && !loaded.includes(chosen) ? [chosen, ...loaded] : loaded;
  const members = useMembers();
  const names = useMemberNames();
  const personWords = usePersonWords();
  const people = [user.id, ...names.ids.filter((id) => id !== user.id)];
  const [typed, type] = useTyped(filter.text, (text) => put("q", text === "" ? null : text));
  return (
    <search className="row activity-filters">
      <Pick
        label="Time"
        value={filter.period}
        any="Any time"
        options={toOptions(PERIODS)}
        onChange={(value) => put("since", value)}
      />
      <Pick
        label="Status"
        value={filter.state}
        any="Any status"
        options={toOptions(STATES)}
        onChange={(value) => put("state", value)}
      />
      <Pick
        label="Type"
        value={filter.kind}
        any="Any type"
        options={toOptions(KINDS)}
        onChange={(value) => put("kind", value)}
      />
      <Pick
        label="Connection"
        value={filter.connectionId}
        any="Any connection"
        placeholder="Deleted connection"
        more={connections}
        options={offered.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(value) => put("connection", value)}
      />
      <Pick
        label="Started by"
        value={filter.userId}
        any="Anyone"
        placeholder="Former member"
        more={members}
        options={people.map((id) => ({ value: id, label: id === user.id ? "Me" : personWords(id) }))}
        onChange={(value) => put("by", value === user.id ? "me" : value)}
      />
      <div className="input quiet sm activity-find">
        <Search className="s t3" />
        <input
          type="search"
          aria-label="Search name, error or ID"
          placeholder="Search name, error or ID"
          value={typed}
          onChange={({ target }) => type(target.value)}
        />
      </div>
      <span className="grow" />
      {count !== null && <span className="xs t3 num">{count}</span>}
    </search>
  );
}

type PickProps = {
  label: string;
  /** null for any. */
  value: string | null;
  /** Label of the option that does not filter. */
  any: string;
  placeholder?: string;
  options: { value: string; label: string }[];
  more?: SelectProps<string>["more"];
  onChange: (value: string | null) => void;
};

function Pick({ label, value, any, placeholder, options, more, onChange }: PickProps) {
  return (
    <div className="activity-pick">
      <Select
        label={label}
        size="sm"
        value={value ?? ANY}
        placeholder={placeholder}
        options={[{ value: ANY, label: any }, ...options]}
        more={more}
        onChange={(next) => onChange(next === ANY ? null : next)}
      />
    </div>
  );
}

function toOptions(choices: readonly { value: string; name: string }[]) {
  return choices.map(({ value, name }) => ({ value, label: name }));
}
