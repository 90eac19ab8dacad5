"use client";

import { useState } from "react";
import { DiffView } from "@/components/editor/diff-view";
import { yamlLanguage } from "@/components/editor/yaml-language";

/** Shows what a version of a metric file changed. */
export function MetricDiff({ before, after }: { before: string; after: string }) {
  const [dialect] = useState(() => ({ extension: yamlLanguage() }));
  return <DiffView before={before} after={after} kind="unified" dialect={dialect} />;
}
