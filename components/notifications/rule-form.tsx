"use client";

import { type ReactNode, useId } from "react";
import type { FieldPath } from "react-hook-form";
import { useWorkspace } from "@/components/layout/workspace-context";
import {
  type ChannelDraft,
  findChannelProblems,
  toChannelDraft,
  toChannelField,
  toChannelFields,
  toChannelProblems,
} from "@/components/notifications/channel-draft";
import { ChannelFields } from "@/components/notifications/channel-fields";
import { type NamedResource, RULES, useResources } from "@/components/notifications/use-notifications";
import { useChange } from "@/components/settings/use-settings";
import { FieldProblem, FormFailure } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { Select } from "@/components/ui/select";
import { useOutage } from "@/components/ui/use-browser";
import { type FieldProblems, useServerForm } from "@/components/ui/use-server-form";
import { type CreateRuleBody, notificationApi, type Resource } from "@/lib/features/notifications/browser/client";
import type { Trigger } from "@/lib/features/notifications/payload-schema";
import type { Rule, SavedRule, UpdateRuleBody } from "@/lib/features/notifications/schema";
import { ApiError } from "@/lib/platform/browser/request";

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
  const { resources, nameOf } = useResources(rule ? [rule] : resource ? [resource] : undefined);
  const save = useChange([RULES], (given: Draft) =>
    rule === null
      ? notificationApi.createRule(workspace.id, toBody(given))
      : notificationApi.updateRule(workspace.id, rule.id, toChanges(given, rule)),
  );
  const { formProps, failure, control, problemOf, form } = useServerForm<Draft>({
    initial: toDraft(rule, resource ?? null),
    fields: ["resource", "triggers", "channel"],
    fieldOf: (path, { channel }) => toField(path, channel),
    check: (draft) => findProblems(draft, rule),
    send: async (draft, form) => {
      if (readOnly) return;
      if (outage !== null) throw new ApiError(0, "unreachable", `${outage}. Save again when the server is back.`);
      // Continues even if the form was closed: the secret is shown only once, and an error must be displayed.
      const saved = await save.mutateAsync(draft);
      announce("Saved");
      // Text typed in the meantime stays, unsaved.
      if (JSON.stringify(form.getValues()) === JSON.stringify(draft)) form.reset(toDraft(saved, draft.resource));
      onSaved(saved);
    },
    whenClosed: "Couldn't save the rule.",
  });
  const chosen = control("resource");
  const triggers = control("triggers");
  const channel = control("channel");

  return (
    <form {...formProps} id={formId} className="rule-form" aria-label={rule ? "Rule" : "New rule"}>
      <FormFailure text={failure} />
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
              value={chosen.value ? keyOf(chosen.value) : ""}
              options={resources.map((each) => ({ value: keyOf(each), label: each.name, note: kindOf(each) }))}
              onChange={(key) => chosen.onChange(resources.find((each) => keyOf(each) === key) ?? null)}
              isInvalid={problemOf("resource") !== undefined}
            />
          )}
          <FieldProblem text={problemOf("resource")} />
        </div>
      )}
      <fieldset className="field rule-triggers" disabled={readOnly}>
        <legend className="flabel">Notify on</legend>
        <div className="row">
          {TRIGGERS.map(({ value, label }) => (
            <label key={value} className="row check">
              <input
                type="checkbox"
                checked={triggers.value.includes(value)}
                aria-invalid={problemOf("triggers") !== undefined || undefined}
                onChange={({ target }) =>
                  triggers.onChange(
                    TRIGGERS.map((each) => each.value).filter((each) =>
                      each === value ? target.checked : triggers.value.includes(each),
                    ),
                  )
                }
              />
              {label}
            </label>
          ))}
        </div>
        <FieldProblem text={problemOf("triggers")} />
      </fieldset>
      <ChannelFields
        draft={channel.value}
        saved={rule}
        problems={toChannelProblems(channel.value, (name) => problemOf(`channel.texts.${name}`))}
        readOnly={readOnly}
        onChange={(next) => {
          if (next.type === channel.value.type) return channel.onChange(next);
          form.clearErrors();
          form.setValue("channel", next, { shouldDirty: true });
        }}
      />
      {children}
    </form>
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

function findProblems({ resource, triggers, channel }: Draft, rule: Rule | null): FieldProblems<Draft> {
  const ofChannel = Object.entries(findChannelProblems(channel, rule));
  return {
    ...(resource === null && { resource: "Select a console or flow." }),
    ...(triggers.length === 0 && { triggers: "Select success, failure or both." }),
    ...Object.fromEntries(ofChannel.map(([name, problem]) => [`channel.texts.${name}`, problem])),
  };
}

/** Returns the field of a path in the request. */
function toField(path: string, channel: ChannelDraft): FieldPath<Draft> | null {
  const [name = ""] = path.split(".");
  if (name === "resourceId") return "resource";
  if (name === "triggers") return name;
  return toChannelField(path, channel);
}

function toBody({ resource, triggers, channel }: Draft): CreateRuleBody {
  if (resource === null) throw new Error("Select a console or flow.");
  const { resourceType, resourceId } = resource;
  return { resourceType, resourceId, triggers, ...toChannelFields(channel, null) } as CreateRuleBody;
}

function toChanges({ triggers, channel }: Draft, rule: Rule): UpdateRuleBody {
  return { triggers, ...toChannelFields(channel, rule) };
}
