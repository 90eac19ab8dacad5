import { type BindingQuery, useBinding, useParams } from "@millrace/app";
import { useDeferredValue, useState } from "react";
import type { Customer } from "./customer";
import { Detail } from "./Detail";
import { toAge, toCount, toDay, toEuro } from "./format";
import { usePageTheme } from "./use-page-theme";

type Column = keyof Customer;

const COLUMNS: { field: Column; name: string; isNumber?: true }[] = [
  { field: "name", name: "Customer" },
  { field: "country", name: "Country" },
  { field: "segment", name: "Segment" },
  { field: "orders", name: "Orders", isNumber: true },
  { field: "revenue", name: "Revenue", isNumber: true },
  { field: "last_order", name: "Last order", isNumber: true },
];
/** Maximum number of rows; a search finds the others. */
const ROWS_SHOWN = 100;

export function App({ title }: { title: string }) {
  usePageTheme();
  const [params, setParams] = useParams();
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const [sort, setSort] = useState<{ by: Column; order: "asc" | "desc" }>({ by: "revenue", order: "desc" });
  const segment = params.segment ?? "";
  const where: BindingQuery["where"] = {
    ...(wanted !== "" && { name: { contains: wanted } }),
    ...(segment !== "" && { segment }),
  };
  const customers = useBinding<Customer>("customers", { where, sort: [sort], limit: ROWS_SHOWN });
  const found = useBinding<{ count: number }>("customers", { measures: [{ op: "count" }], where });
  const segments = useBinding<{ segment: string }>("customers", { groupBy: ["segment"], sort: [{ by: "segment" }] });
  const chosenId = params.customer ?? "";
  const chosen = useBinding<Customer>("customers", { where: { id: Number(chosenId) || 0 } });
  const customer = chosenId === "" ? null : (chosen.rows.find(({ id }) => String(id) === chosenId) ?? null);

  /** Removes empty values from the URL. */
  function choose(next: { customer?: string; segment?: string }) {
    setParams(Object.fromEntries(Object.entries({ ...params, ...next }).filter(([, value]) => value !== "")));
  }
  function sortBy(field: Column) {
    const isSame = sort.by === field;
    setSort({ by: field, order: isSame ? (sort.order === "asc" ? "desc" : "asc") : field === "name" ? "asc" : "desc" });
  }
  const count = found.rows[0]?.count ?? 0;

  return (
    <main>
      <header>
        <div>
          <h1>{title}</h1>
          <p className="quiet" aria-live="polite">
            {found.rows.length === 0
              ? "Customers"
              : count > ROWS_SHOWN
                ? `${ROWS_SHOWN} of ${toCount(count)} customers`
                : `${toCount(count)} customers`}
            {customers.ageMs !== null && ` · updated ${toAge(customers.ageMs)}`}
          </p>
        </div>
        <div className="tools">
          <label>
            Search
            <input
              type="search"
              value={search}
              placeholder="Search by name"
              onChange={({ target }) => setSearch(target.value)}
            />
          </label>
          <label>
            Segment
            <select value={segment} onChange={({ target }) => choose({ segment: target.value })}>
              <option value="">All segments</option>
              {segments.rows.map((row) => (
                <option key={row.segment}>{row.segment}</option>
              ))}
            </select>
          </label>
        </div>
      </header>
      {customers.error && (
        <p className="problem" role="alert">
          {customers.error}
        </p>
      )}
      <div className={customer ? "split" : ""}>
        <div className="card table">
          <table aria-busy={customers.isLoading}>
            <thead>
              <tr>
                {COLUMNS.map(({ field, name, isNumber }) => (
                  <th
                    key={field}
                    className={isNumber && "number"}
                    aria-sort={sort.by === field ? (sort.order === "asc" ? "ascending" : "descending") : undefined}
                  >
                    <button type="button" onClick={() => sortBy(field)}>
                      {name} {sort.by === field ? (sort.order === "asc" ? "↑" : "↓") : ""}
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {customers.rows.map((row) => (
                <tr key={row.id} aria-current={String(row.id) === chosenId || undefined}>
                  <td>
                    <button type="button" className="open" onClick={() => choose({ customer: String(row.id) })}>
                      {row.name}
                    </button>
                  </td>
                  <td>{row.country}</td>
                  <td>{row.segment}</td>
                  <td className="number">{toCount(row.orders)}</td>
                  <td className="number">{toEuro(row.revenue)}</td>
                  <td className="number">{row.last_order === null ? "–" : toDay(row.last_order)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {!customers.isLoading && customers.rows.length === 0 && <p className="quiet empty">No matching customers.</p>}
        </div>
        {customer && <Detail customer={customer} onClose={() => choose({ customer: "" })} />}
      </div>
    </main>
  );
}
