"use client";

import { ConsoleSection } from "@/components/consoles/console-section";
import { FindField } from "@/components/palette/find-field";
import { SchemaSection } from "@/components/schema/schema-section";
import { Checklist } from "@/components/shell/checklist";

/** The consoles themselves, the schema they can ask, and the first steps. */
export function ConsoleExplorer() {
  return (
    <>
      <FindField />
      <ConsoleSection />
      <SchemaSection />
      <Checklist />
    </>
  );
}
