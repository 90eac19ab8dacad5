"use client";

import { ChevronRight } from "lucide-react";
import { useEffect, useRef } from "react";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import type { Endpoint } from "@/lib/platform/api/browser/api-reference";
import type { FieldRow } from "@/lib/platform/api/browser/json-schema-rows";

type EndpointItemProps = {
  endpoint: Endpoint;
  /** Whether the address named this endpoint: it starts expanded and is scrolled into view. */
  isOpenFirst: boolean;
};

/** One endpoint: a row that expands to its full description. */
export function EndpointItem({ endpoint, isOpenFirst }: EndpointItemProps) {
  const ref = useRef<HTMLDetailsElement>(null);
  const { id, method, path, summary, description, who, parameters, body, answer, curl } = endpoint;
  useEffect(() => {
    if (isOpenFirst) ref.current?.scrollIntoView();
  }, [isOpenFirst]);
  return (
    <details
      ref={ref}
      id={id}
      className="endpoint"
      open={isOpenFirst}
      onToggle={(event) => {
        if (event.currentTarget.open) window.history.replaceState(null, "", `#${id}`);
      }}
    >
      <summary>
        <ChevronRight className="s t3 endpoint-mark" />
        <span className={`verb ${method.toLowerCase()}`}>{method}</span>
        <span className="mono endpoint-path">
          {path.split(/(?<=\/)/).map((piece, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one path have no other name
            <span key={i}>
              {piece}
              <wbr />
            </span>
          ))}
        </span>
        <span className="t2 endpoint-does">{summary}</span>
      </summary>
      <div className="endpoint-body">
        {description !== "" && <p className="t2 endpoint-text">{description}</p>}
        <dl className="kv">
          <dt>Access</dt>
          <dd>{who}.</dd>
          <dt>Response</dt>
          <dd>
            {answer.status}, {answer.isEnvelope ? <>data: {answer.type}</> : answer.type}
          </dd>
        </dl>
        <Fields name="Parameters" rows={parameters} />
        <Fields name="Body" rows={body} />
        <Fields name="Response fields" rows={answer.fields} isAnswer />
        <div className="row between example-head">
          <h3>Example</h3>
          <CopyButton text={curl} name={`Copy example: ${summary}`} className="btn ghost sm" />
        </div>
        <CodeBox label={`Example: ${summary}`}>{curl}</CodeBox>
      </div>
    </details>
  );
}

function Fields({ name, rows, isAnswer = false }: { name: string; rows: FieldRow[]; isAnswer?: boolean }) {
  if (rows.length === 0) return null;
  return (
    <table className="fields">
      <caption>{name}</caption>
      <thead className="sr-only">
        <tr>
          <th>Name</th>
          <th>Type</th>
          <th>Description</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name: field, depth, type, isRequired, note }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: one name may stand at several depths, and rows never move
          <tr key={i}>
            <td className="mono" style={{ paddingLeft: depth * 16 }}>
              {field}
            </td>
            <td className="t2">{type}</td>
            <td className="t3">
              {!isAnswer && isRequired && <span className="needed">required</span>}
              {note}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
