"use client";

import { Checklist } from "@/components/consoles/checklist";
import { ConsoleSection } from "@/components/consoles/console-section";
import { FindField } from "@/components/palette/find-field";
import { SchemaSection } from "@/components/schema/schema-section";

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
