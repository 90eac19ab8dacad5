"use client";

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import {
  type ChannelDraft,
  channelFieldNames,
  findChannelProblems,
  type Problems,
  toChannelDraft,
  toChannelFields,
  toFieldProblems,
} from "@/components/notifications/channel-draft";
import { ChannelFields } from "@/components/notifications/channel-fields";
import { type NamedResource, RULES, useResources } from "@/components/notifications/use-notifications";
import { useChange } from "@/components/settings/use-settings";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useOutage } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import {
  type CreateRuleBody,
  notificationApi,
  type Resource,
  type Rule,
  type SavedRule,
  type Trigger,
} from "@/lib/features/notifications/browser/client";
import type { UpdateRuleBody } from "@/lib/features/notifications/schema";

const TRIGGERS: { value: Trigger; label: string }[] = [
  { value: "success", label: "Success" },
  { value: "failure", label: "Failure" },
];

type Draft = { resource: Resource | null; triggers: Trigger[]; channel: ChannelDraft };

type RuleFormProps = {
  id: string;
  /** Null for a new one. */
  rule: Rule | null;
  /** Resource of a new rule if it is fixed. */
  resource?: Resource;
  readOnly: boolean;
  onSaved: (rule: SavedRule) => void;
  /** Content below the channel's fields. */
  children?: ReactNode;
};

/** Form for a rule: its triggers and its channel. Stored addresses are never shown: an empty field keeps them. */
export function RuleForm({ id: formId, rule, resource, readOnly, onSaved, children }: RuleFormProps) {
  const id = useId();
  const { workspace } = useWorkspace();
  const outage = useOutage();
  const { resources, nameOf } = useResources();
  const [draft, setDraft] = useState<Draft>(() => toDraft(rule, resource ?? null));
  const [problems, setProblems] = useState<Problems>({});
  const change = (news: Partial<Draft>) => setDraft((before) => ({ ...before, ...news }));
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const save = useChange([RULES], (given: Draft) =>
    rule === null
      ? notificationApi.createRule(workspace.id, toBody(given))
      : notificationApi.updateRule(workspace.id, rule.id, toChanges(given, rule)),
  );

  const [submit] = useSingleFlight(async () => {
    if (readOnly) return;
    const found = findProblems(draft, rule);
    setProblems(found);
    if (Object.keys(found).length > 0) {
      announce(Object.values(found)[0] ?? "", true);
      return;
    }
    if (outage !== null) return setProblems({ form: `${outage}. Save again when the server is back.` });
    try {
      // Continues even if the form was closed: the secret is shown only once, and an error must be displayed.
      const saved = await save.mutateAsync(draft);
      announce("Saved");
      setDraft((before) => (before === draft ? toDraft(saved, draft.resource) : before));
      onSaved(saved);
    } catch (error) {
      if (isShown.current) setProblems(toProblems(error, draft));
      else showFailure(`Couldn't save the rule. ${toMessage(error)}`);
    }
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit();
  };

  return (
    <form id={formId} className="rule-form" onSubmit={onSubmit} noValidate aria-label={rule ? "Rule" : "New rule"}>
      {problems.form && (
        <Notice kind="bad" role="alert">
          {problems.form}
        </Notice>
      )}
      {!resource && (
        <div className="field">
          <span id={`${id}-of`} className="flabel">
            Resource
          </span>
          {rule ? (
            <div className="b5 trunc">{nameOf(rule)}</div>
          ) : (
            <Select
              labelId={`${id}-of`}
              placeholder="Select a console or flow"
              value={draft.resource ? keyOf(draft.resource) : ""}
              options={resources.map((each) => ({ value: keyOf(each), label: each.name, note: kindOf(each) }))}
              onChange={(key) => change({ resource: resources.find((each) => keyOf(each) === key) ?? null })}
              isInvalid={problems.resourceId !== undefined}
            />
          )}
          <Problem text={problems.resourceId} />
        </div>
      )}
      <fieldset className="field rule-triggers" disabled={readOnly}>
        <legend className="flabel">Notify on</legend>
        <div className="row">
          {TRIGGERS.map(({ value, label }) => (
            <label key={value} className="row check">
              <input
                type="checkbox"
                checked={draft.triggers.includes(value)}
                onChange={({ target }) =>
                  change({
                    triggers: TRIGGERS.map((each) => each.value).filter((each) =>
                      each === value ? target.checked : draft.triggers.includes(each),
                    ),
                  })
                }
              />
              {label}
            </label>
          ))}
        </div>
        <Problem text={problems.triggers} />
      </fieldset>
      <ChannelFields
        draft={draft.channel}
        saved={rule}
        problems={problems}
        readOnly={readOnly}
        onChange={(channel) => {
          if (channel.type !== draft.channel.type) setProblems({});
          change({ channel });
        }}
      />
      {children}
    </form>
  );
}

function Problem({ text }: { text: string | undefined }) {
  return (
    <div className="help bad" aria-live="polite" hidden={text === undefined}>
      {text}
    </div>
  );
}

const keyOf = ({ resourceType, resourceId }: Resource) => `${resourceType}:${resourceId}`;
const kindOf = ({ resourceType }: NamedResource) => (resourceType === "flow" ? "Flow" : "Console");

function toDraft(rule: Rule | null, resource: Resource | null): Draft {
  const channel = toChannelDraft(rule);
  if (rule === null) return { resource, triggers: ["failure"], channel };
  const { triggers, resourceType, resourceId } = rule;
  return { resource: { resourceType, resourceId }, triggers, channel };
}

function findProblems({ resource, triggers, channel }: Draft, rule: Rule | null): Problems {
  return {
    ...(resource === null && { resourceId: "Select a console or flow." }),
    ...(triggers.length === 0 && { triggers: "Select success, failure or both." }),
    ...findChannelProblems(channel, rule),
  };
}

function toProblems(error: unknown, { channel }: Draft): Problems {
  const fields = ["resourceId", "triggers", ...channelFieldNames(channel)];
  return toFieldProblems(error, fields) ?? { form: toMessage(error) };
}

function toBody({ resource, triggers, channel }: Draft): CreateRuleBody {
  if (resource === null) throw new Error("Select a console or flow.");
  const { resourceType, resourceId } = resource;
  return { resourceType, resourceId, triggers, ...toChannelFields(channel, null) } as CreateRuleBody;
}

function toChanges({ triggers, channel }: Draft, rule: Rule): UpdateRuleBody {
  return { triggers, ...toChannelFields(channel, rule) };
}
