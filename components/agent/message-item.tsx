"use client";

import { Pencil, RotateCw, TriangleAlert } from "lucide-react";
import { memo, type ReactNode } from "react";
import type { AgentRequest } from "@/components/agent/agent-store";
import { ChartCard } from "@/components/agent/chart-card";
import type { AgentMessage } from "@/components/agent/chats";
import { ChoiceList } from "@/components/agent/choice-list";
import { SaveCard, SqlProposal } from "@/components/agent/edit-card";
import { Feedback } from "@/components/agent/feedback";
import { SaidText } from "@/components/agent/mention-text";
import { PlanCard } from "@/components/agent/plan-card";
import { QueryCard } from "@/components/agent/query-card";
import { LookedCard, StepLine } from "@/components/agent/step-line";
import { type ToolPart, toQueryOutput, toToolPart } from "@/components/agent/tool-parts";
import { Markdown } from "@/components/markdown/markdown";
import { CopyButton } from "@/components/ui/copy-button";
import { Tip } from "@/components/ui/tip";
import { readChoices } from "@/lib/features/agent/browser/choices";
import { formatCountOf } from "@/lib/platform/browser/format";

type MessageItemProps = {
  chatId: string;
  message: AgentMessage;
  isLast: boolean;
  isBusy: boolean;
  /** The failed query that this answer should fix. */
  fix: Extract<AgentRequest, { kind: "fix" }> | null;
  /** The message being edited will replace it. */
  isGoing: boolean;
  onAgain: () => void;
  /** Null while an answer is running. */
  onEdit: (() => void) | null;
  onAsk: (text: string) => void;
};

/** One message: the user's text, or the agent's steps and answer. */
export function MessageItem(props: MessageItemProps) {
  return props.message.role === "user" ? <Said {...props} /> : <Answer {...props} />;
}

function Said({ message, isGoing, onEdit }: MessageItemProps) {
  const texts = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const images = message.parts.flatMap((part) => (part.type === "file" ? [part] : []));
  return (
    <div className={isGoing ? "me-row going-away" : "me-row"}>
      {onEdit && (
        <Tip label="Edit and resend">
          <button type="button" className="btn ghost icon sm me-edit" aria-label="Edit and resend" onClick={onEdit}>
            <Pencil className="s" />
          </button>
        </Tip>
      )}
      <div className="me">
        {texts.map((text, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message stay where they are
          <SaidText key={at} text={text} />
        ))}
        {images.map(({ url, filename }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a message stay where they are
          // biome-ignore lint/performance/noImgElement: it is in the page already
          <img key={at} className="me-image" src={url} alt={filename ?? "Image"} />
        ))}
      </div>
    </div>
  );
}

function Answer({ chatId, message, isGoing, isLast, isBusy, fix, onAgain, onAsk }: MessageItemProps) {
  const { state, feedback } = message.metadata ?? {};
  const groups = group(message);
  const lastQuery = findLastQuery(message)?.callId ?? null;
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const steps = message.parts.filter(({ type }) => type === "step-start").length;
  const mended = fix && !isBusy ? findMended(message) : null;
  // Another tab or program started it, or this page did before a reload.
  const isElsewhere = !isBusy && state === "running";
  const isCut = !isBusy && (state === "stopped" || state === "failed");
  return (
    <div className={isGoing ? "answer going-away" : "answer"}>
      {groups.map(({ key, draw }) => draw(key, { chatId, isBusy: isBusy || isElsewhere, isLast, lastQuery, onAsk }))}
      {fix && mended && <SqlProposal key={mended} consoleId={fix.consoleId} replaced={fix.query} sql={mended} />}
      {isCut && (
        <p className="answer-cut xs">
          <TriangleAlert className="s" />
          {state === "stopped" ? "Answer stopped." : "Answer interrupted."}
          {isLast && (
            <button type="button" className="link" onClick={onAgain}>
              Retry
            </button>
          )}
        </p>
      )}
      {isElsewhere && (
        <p className="xs t3" role="status">
          Answering in another session. Updates appear here.
        </p>
      )}
      {!isBusy && !isElsewhere && groups.length > 0 && (
        <div className="row xs t3 answer-foot">
          <Feedback chatId={chatId} messageId={message.id} given={feedback ?? null} />
          {text !== "" && <CopyButton text={text} label="" name="Copy answer" className="btn ghost sm bare" />}
          {isLast && (
            <Tip label="Retry">
              <button type="button" className="btn ghost icon sm" aria-label="Retry" onClick={onAgain}>
                <RotateCw className="s" />
              </button>
            </Tip>
          )}
          {steps > 0 && <span className="answer-steps">{formatCountOf(steps, "step")}</span>}
        </div>
      )}
    </div>
  );
}

type Surroundings = {
  chatId: string;
  isBusy: boolean;
  isLast: boolean;
  lastQuery: string | null;
  onAsk: (text: string) => void;
};
type Group = { key: string; draw: (key: string, of: Surroundings) => ReactNode };

const LOOKS = new Set(["list_connections", "list_entities", "describe_entity"]);

/** A query that the agent ran for itself. */
const isLookUp = ({ name, input }: ToolPart) => name === "run_query" && input.purpose === "lookup";

/** Returns the last query whose rows are for the person. */
function findLastQuery({ parts }: AgentMessage): ToolPart | null {
  return parts.map(toToolPart).findLast((tool) => tool?.name === "run_query" && !isLookUp(tool)) ?? null;
}

/** Returns the parts in their order; consecutive schema look-ups share one line. */
function group({ parts }: AgentMessage): Group[] {
  const groups: Group[] = [];
  let looks: ToolPart[] = [];
  const flush = () => {
    const first = looks[0];
    if (!first) return;
    const gathered = looks;
    groups.push({ key: first.callId, draw: (key) => <LookedCard key={key} calls={gathered} /> });
    looks = [];
  };
  parts.forEach((part, at) => {
    const tool = toToolPart(part);
    if (tool && (LOOKS.has(tool.name) || isLookUp(tool))) {
      looks.push(tool);
      return;
    }
    if (part.type === "step-start") return;
    if (part.type === "text" && part.text.trim() === "") return;
    flush();
    const isLastPart = at === parts.length - 1;
    if (part.type === "text") {
      const { text } = part;
      const choices = readChoices(part.providerMetadata);
      groups.push({
        key: `text ${at}`,
        draw: (key, { isBusy, isLast, onAsk }) =>
          choices && isLast && !isBusy ? (
            <ChoiceList key={key} choices={choices} onAsk={onAsk} />
          ) : (
            <AnswerText key={key} text={text} isGrowing={isBusy && isLastPart} />
          ),
      });
    } else if (part.type === "reasoning" && part.text.trim() !== "") {
      const { text } = part;
      groups.push({ key: `thought ${at}`, draw: (key) => <Thought key={key} text={text} /> });
    } else if (tool) groups.push({ key: tool.callId, draw: (key, of) => <ToolCard key={key} tool={tool} {...of} /> });
  });
  flush();
  return groups;
}

function ToolCard({ tool, chatId, isBusy, lastQuery, onAsk }: { tool: ToolPart } & Surroundings) {
  switch (tool.name) {
    case "run_query":
      return <QueryCard tool={tool} chatId={chatId} isBusy={isBusy} isLast={tool.callId === lastQuery} />;
    case "create_chart":
      return <ChartCard tool={tool} chatId={chatId} isBusy={isBusy} />;
    case "propose_plan":
      return <PlanCard tool={tool} isBusy={isBusy} onGoOn={() => onAsk("Plan approved. Continue.")} />;
    case "save_console":
      return <SaveCard tool={tool} isBusy={isBusy} />;
    default:
      return <StepLine tool={tool} isBusy={isBusy} />;
  }
}

const sqlActions = (sql: string) => <SqlProposal sql={sql} isFolded />;
const AnswerText = memo(function DrawnText({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  return <Markdown text={text} isGrowing={isGrowing} sqlActions={isGrowing ? undefined : sqlActions} />;
});

function Thought({ text }: { text: string }) {
  return (
    <details className="thought">
      <summary className="xs t3">Reasoning</summary>
      <Markdown text={text} />
    </details>
  );
}

/**
 * Returns the SQL that an answer suggests: its last block, else its last query if that returned rows. Null if there is
 * none.
 */
function findMended(message: AgentMessage): string | null {
  const { parts } = message;
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const block = [...text.matchAll(SQL_BLOCK)].at(-1)?.[1]?.trim();
  if (block) return block;
  const last = findLastQuery(message);
  if (last?.state !== "done" || toQueryOutput(last).rowCount === 0) return null;
  return typeof last.input.query === "string" ? last.input.query : null;
}

const SQL_BLOCK = /```sql\s*\n([^`]+)```/gi;
