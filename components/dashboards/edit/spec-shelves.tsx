"use client";

import { type ShelfRules, ShelvesForm } from "@/components/dashboards/edit/shelves-form";
import type { DataFormProps } from "@/components/dashboards/kinds/kind-editor";
import type { Look } from "@/lib/features/dashboards/browser/edit/looks";
import { readShelves, type Shelves, writeShelves } from "@/lib/features/dashboards/browser/edit/shelves";

type SpecShelvesProps = DataFormProps & { rulesOf: (look: Look | "own", shelves: Shelves) => ShelfRules };

/** The shelves of a specification, by the rules of each look. */
export function SpecShelves({ look, spec, fields, onChange, rulesOf }: SpecShelvesProps) {
  const shelves = readShelves(spec);
  if (shelves === null) return null;
  return (
    <ShelvesForm
      rules={rulesOf(look, shelves)}
      fields={fields}
      shelves={shelves}
      onChange={(next, words, part) => onChange(writeShelves(spec, next), words, part)}
    />
  );
}
