"use client";

import { LonePage } from "@/components/ui/lone-page";
import { WarningSign } from "@/components/ui/signs";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <LonePage
      icon={<WarningSign />}
      title="This page stopped working"
      text={`What you typed in consoles is kept in this browser. Load the page again; if it stops again, tell your administrator${
        error.digest ? ` and name the mark ${error.digest}` : ""
      }.`}
    >
      <button type="button" className="btn primary" onClick={reset}>
        Load the page again
      </button>
    </LonePage>
  );
}
