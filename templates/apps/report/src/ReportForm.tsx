import { useBinding } from "@millrace/app";
import { type FormEvent, useState } from "react";

/** Empty values include everything; categories are separated by commas. */
export type Choice = { from: string; to: string; country: string; category: string };

/** Parameters of the report. They apply when the form is submitted. */
export function ReportForm({ choice, onChoose }: { choice: Choice; onChoose: (choice: Choice) => void }) {
  const countries = useBinding<{ country: string }>("sales", { groupBy: ["country"], sort: [{ by: "country" }] });
  const categories = useBinding<{ category: string }>("sales", { groupBy: ["category"], sort: [{ by: "category" }] });
  const [draft, setDraft] = useState(choice);
  const chosen = new Set(draft.category === "" ? [] : draft.category.split(","));
  const set = (change: Partial<Choice>) => setDraft((before) => ({ ...before, ...change }));
  const isBackwards = draft.from !== "" && draft.to !== "" && draft.from > draft.to;

  function toggle(category: string) {
    const next = new Set(chosen);
    if (!next.delete(category)) next.add(category);
    set({ category: [...next].sort().join(",") });
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isBackwards) onChoose(draft);
  }

  return (
    <form className="card" onSubmit={submit}>
      <label>
        From
        <input type="month" value={draft.from} onChange={({ target }) => set({ from: target.value })} />
      </label>
      <label>
        To
        <input
          type="month"
          value={draft.to}
          aria-invalid={isBackwards}
          onChange={({ target }) => set({ to: target.value })}
        />
      </label>
      {isBackwards && (
        <p className="problem" role="alert">
          The end month must be after the start month.
        </p>
      )}
      <label>
        Country
        <select value={draft.country} onChange={({ target }) => set({ country: target.value })}>
          <option value="">All countries</option>
          {countries.rows.map(({ country }) => (
            <option key={country}>{country}</option>
          ))}
        </select>
      </label>
      <fieldset>
        <legend>Categories</legend>
        {categories.rows.map(({ category }) => (
          <label key={category} className="check">
            <input type="checkbox" checked={chosen.has(category)} onChange={() => toggle(category)} />
            {category}
          </label>
        ))}
      </fieldset>
      <button type="submit" className="main">
        Show report
      </button>
      <button type="button" onClick={() => onChoose({ from: "", to: "", country: "", category: "" })}>
        Reset
      </button>
    </form>
  );
}
