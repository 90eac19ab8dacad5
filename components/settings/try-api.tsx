"use client";

import { useState } from "react";
import { useDatabases } from "@/components/schema/use-schema";
import { CodeBox } from "@/components/ui/code-box";
import { CopyButton } from "@/components/ui/copy-button";
import { Segments } from "@/components/ui/segments";
import { useIsAwake } from "@/components/ui/use-browser";
import { EXAMPLE_LANGUAGES, type ExampleLanguage, toExample } from "@/lib/platform/api/browser/api-examples";

/** Example id for a workspace without a database to query. */
const NO_CONNECTION = "665f1c2ab7d09e4f8a31c702";
const OPTIONS = EXAMPLE_LANGUAGES.map((value) => ({ value, label: value }));

/** A first request in three languages, with an id of this workspace. */
export function TryApi() {
  const [language, setLanguage] = useState<ExampleLanguage>("curl");
  const databases = useDatabases();
  const isAwake = useIsAwake();
  const origin = isAwake ? window.location.origin : "";
  const text = toExample(language, origin, databases[0]?.id ?? NO_CONNECTION);
  return (
    <section className="part" aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <div className="card try">
        <div className="row try-head">
          <Segments label="Language" value={language} options={OPTIONS} onChange={setLanguage} />
          <span className="grow" />
          <CopyButton text={text} name="Copy example" className="btn ghost sm" />
        </div>
        <CodeBox label="Example">
          <QuotedText text={text} />
        </CodeBox>
      </div>
    </section>
  );
}

/** Code in which quoted text has the colour of strings. */
function QuotedText({ text }: { text: string }) {
  const pieces = [...text.matchAll(/"[^"]*"|'[^']*'|[^"']+/g)];
  return pieces.map(({ 0: piece, index }) => (
    <span key={index} className={/^["']/.test(piece) ? "s" : undefined}>
      {piece}
    </span>
  ));
}
