"use client";

import { Search } from "lucide-react";
import Link from "next/link";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { EndpointItem } from "@/components/docs/endpoint-item";
import { CodeBox } from "@/components/ui/code-box";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Wheel } from "@/components/ui/wheel";
import { type OpenApiDocument, searchReference, toReference } from "@/lib/platform/api/browser/api-reference";
import { ApiError } from "@/lib/platform/browser/request";
import "./docs.css";

const ADDRESS = "/api/openapi.json";
type Loaded = { document: OpenApiDocument | null; error: Error | null };

/** The API reference, rendered from the server's OpenAPI document. */
export function ApiReference() {
  const [{ document, error }, setLoaded] = useState<Loaded>({ document: null, error: null });
  const [round, setRound] = useState(0);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads the same address again
  useEffect(() => {
    const stop = new AbortController();
    readDocument(stop.signal).then(
      (read) => setLoaded({ document: read, error: null }),
      (failure: Error) => !stop.signal.aborted && setLoaded({ document: null, error: failure }),
    );
    return () => stop.abort();
  }, [round]);

  const all = useMemo(() => (document === null ? [] : toReference(document, window.location.origin)), [document]);
  const groups = useMemo(() => searchReference(all, wanted), [all, wanted]);
  const count = groups.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
  const openId = document === null ? null : window.location.hash.slice(1);

  return (
    <div className="docs">
      <header className="docs-top">
        <Link href="/" className="docs-brand" aria-label="Millrace, back to your workspace">
          <Wheel />
          Millrace
        </Link>
        <span className="t3">API reference</span>
        <span className="grow" />
        <a className="btn" href={ADDRESS}>
          openapi.json
        </a>
      </header>
      <div className="docs-body">
        <nav className="docs-side" aria-label="API sections">
          <div className="input quiet sm">
            <Search className="s t3" />
            <input
              type="search"
              aria-label="Search endpoints"
              placeholder="Search endpoints"
              value={search}
              onChange={(event) => setSearch(event.target.value)}
            />
          </div>
          <ul className="navlist">
            {groups.map(({ name, endpoints }) => (
              <li key={name}>
                <a href={`#${toAnchor(name)}`}>
                  <span className="grow trunc">{name}</span>
                  <span className="meta num">{endpoints.length}</span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main className="docs-main">
          <h1>API reference</h1>
          <p className="lead">
            Do everything in the app through the API. Authenticate with an API key from Settings, API keys. Responses
            are <code>{"{success: true, data}"}</code>, or <code>{"{success: false, error, code}"}</code> with a
            matching HTTP status.
          </p>
          <CodeBox label="Authentication header">Authorization: Bearer mr_...</CodeBox>
          <div className="docs-list">
            {error && <LoadFailure error={error} onRetry={() => setRound(round + 1)} />}
            {document === null && !error && <ListSkeleton label="Loading API reference" rows={10} rowPx={44} />}
            {document !== null && (
              <p className="sr-only" role="status">
                {count} endpoints
              </p>
            )}
            {document !== null && count === 0 && <p className="t2">No endpoints match "{wanted}".</p>}
            {groups.map(({ name, endpoints }) => (
              <section key={name} className="docs-group" aria-labelledby={toAnchor(name)}>
                <h2 id={toAnchor(name)}>{name}</h2>
                {endpoints.map((endpoint) => (
                  <EndpointItem key={endpoint.id} endpoint={endpoint} isOpenFirst={endpoint.id === openId} />
                ))}
              </section>
            ))}
          </div>
        </main>
      </div>
    </div>
  );
}

async function readDocument(signal: AbortSignal): Promise<OpenApiDocument> {
  const answer = await fetch(ADDRESS, { signal }).catch(() => {
    signal.throwIfAborted();
    throw ApiError.unreachable();
  });
  if (!answer.ok)
    throw new ApiError(answer.status, "internal", `The server returned status ${answer.status}. Try again.`);
  return (await answer.json()) as OpenApiDocument;
}

function toAnchor(name: string): string {
  return `part-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}`;
}
