"use client";

import { ConsoleSection } from "@/components/console/console-section";
import { SchemaSection } from "@/components/schema/schema-section";
import { Checklist } from "@/components/shell/checklist";

/** The consoles themselves, the schema they can ask, and the first steps. */
export function ConsoleExplorer() {
  return (
    <>
      <ConsoleSection />
      <SchemaSection />
      <Checklist />
    </>
  );
}
