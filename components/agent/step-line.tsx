"use client";

import {
  AppWindow,
  Bell,
  CalendarClock,
  ChevronRight,
  CircleX,
  Folder,
  LayoutDashboard,
  ListTree,
  type LucideIcon,
  Search,
  Sigma,
  SquareTerminal,
  Trash2,
  Waypoints,
} from "lucide-react";
import { type ReactNode, useState } from "react";
import type { ToolPart } from "@/components/agent/tool-parts";
import { useFindConnection } from "@/components/schema/use-schema";
import { formatCountOf } from "@/lib/platform/browser/format";

type CardHeadProps = {
  icon: LucideIcon;
  title: string;
  detail?: string;
  end?: ReactNode;
  isFailed?: boolean;
  isOpen?: boolean;
  onToggle?: () => void;
};

/** The head of a card: the action, its object and its result. It opens the card if that has content. */
export function CardHead({ icon: Icon, title, detail, end, isFailed = false, isOpen, onToggle }: CardHeadProps) {
  const Sign = isFailed ? CircleX : Icon;
  const face = (
    <>
      <Sign className={isFailed ? "s bad-sign" : "s"} />
      <b className="b6">{title}</b>
      <span className="t3 trunc grow">{detail}</span>
      {end && <span className="t3 num">{end}</span>}
      {onToggle && <ChevronRight className={isOpen ? "xs t3 turned" : "xs t3"} />}
    </>
  );
  if (!onToggle) return <div className="th">{face}</div>;
  return (
    <button type="button" className="th" aria-expanded={isOpen} onClick={onToggle}>
      {face}
    </button>
  );
}

/** A look-up of the schema: its tables and connections. */
export function LookedCard({ calls }: { calls: ToolPart[] }) {
  const [isOpen, setIsOpen] = useState(false);
  const find = useFindConnection();
  const nameOf = ({ input }: ToolPart) =>
    typeof input.connectionId === "string" ? find(input.connectionId)?.name : undefined;
  const tables = [
    ...new Set(calls.filter(({ name }) => name === "describe_entity").map(({ input }) => String(input.name))),
  ];
  const places = [...new Set(calls.flatMap((call) => nameOf(call) ?? []))];
  const where = places.length > 0 ? places.join(", ") : "all connections";
  const isRunning = calls.some(({ state }) => state === "running");
  const isFailed = calls.every(({ state }) => state === "failed");
  const count = formatCountOf(tables.length, "table");
  return (
    <div className="tool">
      <CardHead
        icon={ListTree}
        title={`${isRunning ? "Inspecting" : "Inspected"} ${tables.length > 0 ? count : "schema"}`}
        detail={tables.length > 0 ? `${tables.join(", ")}${places.length > 0 ? ` in ${where}` : ""}` : where}
        isFailed={isFailed}
        isOpen={isOpen}
        onToggle={() => setIsOpen(!isOpen)}
      />
      {isOpen && (
        <ul className="steps">
          {calls.map((call) => (
            <li key={call.callId}>
              <span className="mono">{call.name}</span>
              <span className="grow trunc">{summaryOf(call)}</span>
              <span className={call.state === "failed" ? "bad-word" : "t3"}>{outcomeOf(call)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function summaryOf({ input }: ToolPart): string {
  return String(input.name ?? input.search ?? input.query ?? "");
}

function outcomeOf({ state, output, errorText }: ToolPart): string {
  if (state === "running") return "...";
  if (state === "failed") return errorText;
  const { columnCount, total, connections, rowCount } = output;
  if (typeof columnCount === "number") return formatCountOf(columnCount, "column");
  if (typeof total === "number") return `${total} found`;
  if (Array.isArray(connections)) return `${connections.length} found`;
  if (typeof rowCount === "number") return formatCountOf(rowCount, "row");
  return "";
}

const WORDS: Record<string, { icon: LucideIcon; done: string; running: string }> = {
  search_consoles: { icon: Search, done: "Searched consoles", running: "Searching consoles" },
  read_console: { icon: SquareTerminal, done: "Read console", running: "Reading console" },
  list_flows: { icon: Waypoints, done: "Listed flows", running: "Listing flows" },
  get_flow: { icon: Waypoints, done: "Read flow", running: "Reading flow" },
  get_run: { icon: Waypoints, done: "Read run", running: "Reading run" },
  create_flow: { icon: Waypoints, done: "Created flow", running: "Creating flow" },
  list_metrics: { icon: Sigma, done: "Listed metrics", running: "Listing metrics" },
  read_metric: { icon: Sigma, done: "Read metric", running: "Reading metric" },
  query_metrics: { icon: Sigma, done: "Queried metrics", running: "Querying metrics" },
  save_metric: { icon: Sigma, done: "Saved metric", running: "Saving metric" },
  list_dashboards: { icon: LayoutDashboard, done: "Listed dashboards", running: "Listing dashboards" },
  read_dashboard: { icon: LayoutDashboard, done: "Read dashboard", running: "Reading dashboard" },
  save_dashboard: { icon: LayoutDashboard, done: "Saved dashboard", running: "Saving dashboard" },
  set_schedule: { icon: CalendarClock, done: "Set schedule", running: "Setting schedule" },
  list_rules: { icon: Bell, done: "Listed rules", running: "Listing rules" },
  save_rule: { icon: Bell, done: "Saved rule", running: "Saving rule" },
  list_apps: { icon: AppWindow, done: "Listed apps", running: "Listing apps" },
  save_app: { icon: AppWindow, done: "Saved app", running: "Saving app" },
  list_folders: { icon: Folder, done: "Listed folders", running: "Listing folders" },
  save_folder: { icon: Folder, done: "Saved folder", running: "Saving folder" },
  delete_item: { icon: Trash2, done: "Deleted item", running: "Deleting item" },
  trigger_flow: { icon: Waypoints, done: "Started flow", running: "Starting flow" },
};

/** Any other tool call, in one line. Expanded, it shows the error, the input and the output. */
export function StepLine({ tool, isBusy }: { tool: ToolPart; isBusy: boolean }) {
  const [isOpen, setIsOpen] = useState(false);
  const words = WORDS[tool.name] ?? { icon: ListTree, done: tool.name, running: tool.name };
  const { query, name, title, path } = { ...tool.input, ...tool.output } as Record<string, unknown>;
  const detail = [path, name, title, query].find((value) => typeof value === "string");
  const isFailed = tool.state === "failed";
  return (
    <div className="tool">
      <CardHead
        icon={words.icon}
        title={tool.state === "running" && isBusy ? words.running : words.done}
        detail={typeof detail === "string" ? detail : ""}
        end={isFailed ? "Failed" : undefined}
        isFailed={isFailed}
        isOpen={isOpen}
        onToggle={() => setIsOpen(!isOpen)}
      />
      {isOpen && (
        <pre className="tool-raw">
          {isFailed ? tool.errorText : JSON.stringify(tool.state === "done" ? tool.output : tool.input, null, 2)}
        </pre>
      )}
    </div>
  );
}
