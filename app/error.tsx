"use client";

import { WarningIcon } from "@/components/ui/icons";
import { LonePage } from "@/components/ui/lone-page";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <LonePage
      icon={<WarningIcon />}
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
