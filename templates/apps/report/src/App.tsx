import { type BindingQuery, useBinding, useParams } from "@millrace/app";
import { type Amount, toAge, toCount, toEuro, toMonth } from "./format";
import { type Choice, ReportForm } from "./ReportForm";
import { usePageTheme } from "./use-page-theme";

type Sums = { items: Amount; revenue: Amount; margin: Amount };

const SUMS: BindingQuery["measures"] = [
  { field: "items", op: "sum", as: "items" },
  { field: "revenue", op: "sum", as: "revenue" },
  { field: "margin", op: "sum", as: "margin" },
];

export function App({ title }: { title: string }) {
  usePageTheme();
  const [params, setParams] = useParams();
  // The URL contains the choice, so a link shows the same report to everyone.
  const choice: Choice = { from: "", to: "", country: "", category: "", ...params };
  const where: BindingQuery["where"] = {
    ...(choice.country !== "" && { country: choice.country }),
    ...(choice.category !== "" && { category: choice.category.split(",") }),
    // A month is represented by its first day.
    ...((choice.from !== "" || choice.to !== "") && {
      month: { from: choice.from === "" ? null : `${choice.from}-01`, to: choice.to === "" ? null : `${choice.to}-01` },
    }),
  };
  const byCategory = useBinding<Sums & { category: string }>("sales", {
    groupBy: ["category"],
    measures: SUMS,
    where,
    sort: [{ by: "revenue", order: "desc" }],
  });
  const period = useBinding<{ first: string | null; last: string | null }>("sales", {
    measures: [
      { field: "month", op: "min", as: "first" },
      { field: "month", op: "max", as: "last" },
    ],
    where,
  });
  const { first = null, last = null } = period.rows[0] ?? {};
  const total = sumOf(byCategory.rows);
  const error = byCategory.error ?? period.error;

  return (
    <main>
      <header>
        <div>
          <h1>{title}</h1>
          <p className="quiet">
            Choose filters for the report
            {byCategory.ageMs !== null && ` · updated ${toAge(byCategory.ageMs)}`}
          </p>
        </div>
      </header>
      <div className="sides">
        {/* A new URL starts with its own choice. */}
        <ReportForm
          key={JSON.stringify(params)}
          choice={choice}
          onChoose={(next) => setParams(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== "")))}
        />
        <section className="card report" aria-busy={byCategory.isLoading} aria-label="Report">
          <h2>{choice.country === "" ? "All countries" : choice.country}</h2>
          <p className="quiet">{first && last ? `${toMonth(first)} to ${toMonth(last)}` : "No sales"}</p>
          {error && (
            <p className="problem" role="alert">
              {error}
            </p>
          )}
          <dl className="figures">
            <div>
              <dt>Revenue</dt>
              <dd>{toEuro(total.revenue)}</dd>
            </div>
            <div>
              <dt>Margin</dt>
              <dd>{toEuro(total.margin)}</dd>
            </div>
            <div>
              <dt>Items</dt>
              <dd>{toCount(total.items)}</dd>
            </div>
          </dl>
          <table>
            <thead>
              <tr>
                <th>Category</th>
                <th className="number">Items</th>
                <th className="number">Revenue</th>
                <th className="number">Share</th>
                <th className="number">Margin</th>
              </tr>
            </thead>
            <tbody>
              {byCategory.rows.map(({ category, items, revenue, margin }) => (
                <tr key={category}>
                  <td>{category}</td>
                  <td className="number">{toCount(items)}</td>
                  <td className="number">{toEuro(revenue)}</td>
                  <td className="number">{percent(Number(revenue), total.revenue)}</td>
                  <td className="number">{percent(Number(margin), Number(revenue))}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th>Total</th>
                <td className="number">{toCount(total.items)}</td>
                <td className="number">{toEuro(total.revenue)}</td>
                <td className="number">{percent(total.revenue, total.revenue)}</td>
                <td className="number">{percent(total.margin, total.revenue)}</td>
              </tr>
            </tfoot>
          </table>
        </section>
      </div>
    </main>
  );
}

function sumOf(rows: readonly Sums[]) {
  const sum = (field: keyof Sums) => rows.reduce((all, row) => all + Number(row[field]), 0);
  return { items: sum("items"), revenue: sum("revenue"), margin: sum("margin") };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((part / whole) * 100).toFixed(1)} %`;
}
