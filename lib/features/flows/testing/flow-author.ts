import type { RunQueued } from "@/lib/features/runs/wake";
import { type JobEvent, sendJobEventsBy } from "@/lib/platform/process/job-events";
import { type Answer, call } from "@/test/client";
import { type Person, seedPerson } from "@/test/seed";
import { carryOutFlowRun } from "../carry-out";
import { FLOW_RUN_QUEUED_EVENT } from "../runs";

type Body = Record<string, unknown>;

/** One person with a workspace, and the job runner's part of it. */
export type FlowAuthor = {
  person: Person;
  home: string;
  /** What the job runner was woken with, and has not been done. */
  events: JobEvent[];
  send: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Makes a connection and gives its id. */
  connect: (type: string, config: Body, more?: Body) => Promise<string>;
  /** An SQLite or DuckDB file of the workspace that may be written. */
  file: (type: "sqlite" | "duckdb") => Promise<string>;
  /** Makes a flow and gives the answer's data; it does not run unless told. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of them, key by key
  make: (body: Body) => Promise<{ flow: any; run: any }>;
  sql: (connectionId: string, query: string) => Promise<Record<string, unknown>[]>;
  /** Carries out what was queued. */
  carryOut: () => Promise<void>;
  /** Runs a saved flow to its end and gives the run. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  run: (flowId: string) => Promise<any>;
};

let made = 0;

export async function flowAuthor(name = "Ana"): Promise<FlowAuthor> {
  const person = await seedPerson(name);
  const home = `/api/workspaces/${person.workspaceId}`;
  const events: JobEvent[] = [];
  sendJobEventsBy(async (sent) => {
    events.push(...sent);
  });
  const send: FlowAuthor["send"] = (method, path, body) =>
    call(method, `${home}${path}`, { cookie: person.cookie, body });
  const demand = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json.data;
  };
  const connect: FlowAuthor["connect"] = async (type, config, more = {}) => {
    made += 1;
    const body = { name: `${type} ${made}`, type, config, readOnly: false, ...more };
    return (await demand("POST", "/connectors", body)).id;
  };
  const carryOut = async () => {
    while (events.length > 0) {
      for (const { name: event, data } of events.splice(0)) {
        if (event !== FLOW_RUN_QUEUED_EVENT) continue;
        await carryOutFlowRun(data as RunQueued);
      }
    }
  };
  return {
    person,
    home,
    events,
    send,
    connect,
    file: (type) => connect(type, { file: `${type}-${made}.${type}` }),
    make: (body) => demand("POST", "/flows", { name: `Flow ${made++}`, trigger: false, ...body }),
    sql: async (connectionId, query) =>
      (await demand("POST", `/databases/${connectionId}/execute`, { query, limit: 50_000 })).rows,
    carryOut,
    run: async (flowId) => {
      const { run } = await demand("POST", "/flows", { flowId });
      await carryOut();
      return demand("GET", `/flows/${flowId}/runs/${run.id}`);
    },
  };
}
