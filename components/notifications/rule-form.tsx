"use client";

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import { CHANNEL_WORDS } from "@/components/notifications/rule-words";
import { type NamedResource, RULES, useResources } from "@/components/notifications/use-notifications";
import { useChange } from "@/components/settings/use-settings";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useOutage } from "@/components/ui/use-browser";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import {
  type ChannelType,
  type CreateRuleBody,
  notificationApi,
  type Resource,
  type Rule,
  type SavedRule,
  type Trigger,
} from "@/lib/features/notifications/browser/client";
import { findEmailProblem } from "@/lib/platform/browser/email-help";
import { parseEmails } from "@/lib/platform/browser/email-list";
import { ApiError } from "@/lib/platform/browser/request";

const CHANNELS = (["email", "webhook", "chat"] as const).map((value) => ({ value, label: CHANNEL_WORDS[value] }));
const TRIGGERS: { value: Trigger; label: string }[] = [
  { value: "success", label: "Success" },
  { value: "failure", label: "Failure" },
];

type Draft = {
  resource: Resource | null;
  triggers: Trigger[];
  channelType: ChannelType;
  emails: string;
  url: string;
  label: string;
};
type Problems = Partial<Record<"resourceId" | "triggers" | "recipients" | "url" | "displayLabel" | "form", string>>;

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
  const isKept = rule !== null && rule.channelType === draft.channelType;

  const [submit] = useSingleFlight(async () => {
    if (readOnly) return;
    const found = findProblems(draft, isKept);
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
      if (isShown.current) setProblems(toProblems(error));
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
      <div className="field">
        <span className="flabel">Channel</span>
        {readOnly ? (
          <div>{CHANNEL_WORDS[draft.channelType]}</div>
        ) : (
          <div>
            <Segments
              label="Channel"
              value={draft.channelType}
              options={CHANNELS}
              onChange={(channelType) => {
                setProblems({});
                change({ channelType });
              }}
            />
          </div>
        )}
      </div>
      {draft.channelType === "email" ? (
        <TextField
          label="Recipients"
          value={draft.emails}
          onChange={({ target }) => change({ emails: target.value })}
          error={problems.recipients}
          help="Comma-separated, up to 50. Recipients can see each other."
          placeholder="ana@example.com, jun@example.com"
          inputMode="email"
          autoComplete="off"
          readOnly={readOnly}
          isDense
        />
      ) : (
        <TextField
          label={draft.channelType === "webhook" ? "URL" : "Incoming webhook URL"}
          value={draft.url}
          onChange={({ target }) => change({ url: target.value })}
          error={problems.url}
          help={
            isKept
              ? `Saved: ${toKept(rule)}. Enter a new one to replace it.`
              : "http or https. Private addresses are blocked."
          }
          placeholder={isKept ? "" : "https://"}
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          readOnly={readOnly}
          isDense
        />
      )}
      {draft.channelType === "chat" && (
        <TextField
          label="Name"
          value={draft.label}
          onChange={({ target }) => change({ label: target.value })}
          error={problems.displayLabel}
          placeholder="#finance-weekly"
          autoComplete="off"
          readOnly={readOnly}
          isDense
        />
      )}
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

function toKept({ channel }: Rule): string {
  return "urlPreview" in channel ? channel.urlPreview : "set";
}

function toDraft(rule: Rule | null, resource: Resource | null): Draft {
  const empty = { emails: "", url: "", label: "" };
  if (rule === null) return { resource, triggers: ["failure"], channelType: "email", ...empty };
  const { channel, triggers, channelType, resourceType, resourceId } = rule;
  return {
    resource: { resourceType, resourceId },
    triggers,
    channelType,
    ...empty,
    ...("recipients" in channel && { emails: channel.recipients.join(", ") }),
    ...("displayLabel" in channel && { label: channel.displayLabel ?? "" }),
  };
}

/** @param isKept true if the channel has an address already, which an empty field keeps */
function findProblems(draft: Draft, isKept: boolean): Problems {
  const problems: Problems = {};
  if (draft.resource === null) problems.resourceId = "Select a console or flow.";
  if (draft.triggers.length === 0) problems.triggers = "Select success, failure or both.";
  if (draft.channelType === "email") {
    const { emails, rest } = parseEmails(draft.emails);
    if (rest[0] !== undefined)
      problems.recipients = findEmailProblem(rest[0]) ?? "Enter an email address such as ana@example.com.";
    else if (emails.length === 0) problems.recipients = "Enter at least one email address.";
  } else if (draft.url.trim() === "" && !isKept) problems.url = "Enter the receiver's URL.";
  return problems;
}

function toProblems(error: unknown): Problems {
  const placed: Problems = {};
  for (const { path, message } of error instanceof ApiError ? error.problems : []) {
    if (path === "chatWebhookUrl" || path === "url") placed.url = message;
    else if (path.startsWith("recipients")) placed.recipients = message;
    else if (path === "triggers" || path === "displayLabel" || path === "resourceId") placed[path] = message;
  }
  return Object.keys(placed).length > 0 ? placed : { form: toMessage(error) };
}

function toChannel({ channelType, emails, url, label }: Draft) {
  const address = url.trim();
  if (channelType === "email") return { channelType, recipients: parseEmails(emails).emails };
  if (channelType === "webhook") return { channelType, url: address };
  return { channelType, chatWebhookUrl: address, ...(label.trim() !== "" && { displayLabel: label.trim() }) };
}

function toBody(draft: Draft): CreateRuleBody {
  if (draft.resource === null) throw new Error("Select a console or flow.");
  const { resourceType, resourceId } = draft.resource;
  return { resourceType, resourceId, triggers: draft.triggers, ...toChannel(draft) };
}

/** Omits an address that was not typed again, so that it keeps its value. */
function toChanges(draft: Draft, rule: Rule) {
  const channel = toChannel(draft);
  const isUntyped = channel.channelType === rule.channelType && draft.url.trim() === "";
  if (channel.channelType === "webhook" && isUntyped) return { triggers: draft.triggers };
  if (channel.channelType === "chat" && isUntyped)
    return { triggers: draft.triggers, displayLabel: draft.label.trim() };
  return { triggers: draft.triggers, ...channel };
}
