import { type BindingQuery, useBinding, useParams } from "@millrace/app";
import { Bars, Trend } from "./charts";
import { type Amount, toAge, toCount, toEuro, toMonth, toShortEuro } from "./format";
import { usePageTheme } from "./use-page-theme";

type Sums = { orders: Amount; revenue: Amount; margin: Amount };
type Month = Sums & { month: string };

const SUMS: BindingQuery["measures"] = [
  { field: "orders", op: "sum", as: "orders" },
  { field: "revenue", op: "sum", as: "revenue" },
  { field: "margin", op: "sum", as: "margin" },
];
/** Length of the compared periods. */
const MONTHS = 12;
/** Smaller changes are shown as none. */
const HARDLY = 0.0005;

export function App({ title }: { title: string }) {
  usePageTheme();
  const [params, setParams] = useParams();
  const region = params.region ?? "";
  const where: BindingQuery["where"] = region === "" ? {} : { region };
  const regions = useBinding<{ region: string }>("sales", { groupBy: ["region"], sort: [{ by: "region" }] });
  const months = useBinding<Month>("sales", { groupBy: ["month"], measures: SUMS, where, sort: [{ by: "month" }] });
  const from = months.rows.at(-MONTHS)?.month ?? null;
  const lately: BindingQuery["where"] = { ...where, month: { from } };
  const byRevenue: BindingQuery["sort"] = [{ by: "revenue", order: "desc" }];
  const countries = useBinding<Sums & { country: string }>("sales", {
    groupBy: ["country"],
    measures: SUMS,
    where: lately,
    sort: byRevenue,
    limit: 8,
  });
  const channels = useBinding<Sums & { channel: string }>("sales", {
    groupBy: ["channel"],
    measures: SUMS,
    where: lately,
    sort: byRevenue,
  });
  const now = sumOf(months.rows.slice(-MONTHS));
  const before = sumOf(months.rows.slice(-2 * MONTHS, -MONTHS));
  const error = months.error ?? countries.error ?? channels.error ?? regions.error;

  return (
    <main className={months.isLoading ? "loading" : ""} aria-busy={months.isLoading}>
      <header>
        <div>
          <h1>{title}</h1>
          <p className="quiet">
            Last {MONTHS} months vs previous {MONTHS} months
            {months.ageMs !== null && ` · updated ${toAge(months.ageMs)}`}
          </p>
        </div>
        <label>
          Region
          <select
            value={region}
            onChange={({ target }) => setParams(target.value === "" ? {} : { region: target.value })}
          >
            <option value="">All regions</option>
            {regions.rows.map((row) => (
              <option key={row.region}>{row.region}</option>
            ))}
          </select>
        </label>
      </header>
      {error && (
        <p className="problem" role="alert">
          {error}
        </p>
      )}
      <section className="figures" aria-label="Metrics">
        <Figure name="Revenue" value={toShortEuro(now.revenue)} now={now.revenue} before={before.revenue} />
        <Figure name="Orders" value={toCount(now.orders)} now={now.orders} before={before.orders} />
        <Figure name="Average order" value={toEuro(now.order)} now={now.order} before={before.order} />
        <Figure name="Margin" value={`${(now.share * 100).toFixed(1)} %`} now={now.share} before={before.share} />
      </section>
      <section className="card">
        <h2>Revenue by month</h2>
        <Trend
          points={months.rows.map(({ month, revenue }) => ({ name: toMonth(month), value: Number(revenue) }))}
          toText={toShortEuro}
        />
      </section>
      <div className="pair">
        <section className="card">
          <h2>By country</h2>
          <Bars
            bars={countries.rows.map(({ country, revenue }) => ({ name: country, value: Number(revenue) }))}
            toText={toShortEuro}
          />
        </section>
        <section className="card">
          <h2>By channel</h2>
          <Bars
            bars={channels.rows.map(({ channel, revenue }) => ({ name: channel, value: Number(revenue) }))}
            toText={toShortEuro}
          />
        </section>
      </div>
    </main>
  );
}

function Figure({ name, value, now, before }: { name: string; value: string; now: number; before: number }) {
  const change = before === 0 ? null : now / before - 1;
  return (
    <div className="card figure">
      <span className="name">{name}</span>
      <strong>{now === 0 ? "–" : value}</strong>
      {change !== null &&
        (Math.abs(change) < HARDLY ? (
          <span className="quiet">no change</span>
        ) : (
          <span className={change < 0 ? "down" : "up"}>
            {change < 0 ? "▼" : "▲"} {Math.abs(change * 100).toFixed(1)} %
          </span>
        ))}
    </div>
  );
}

function sumOf(months: readonly Month[]) {
  const sum = (field: keyof Sums) => months.reduce((all, month) => all + Number(month[field]), 0);
  const [revenue, orders, margin] = [sum("revenue"), sum("orders"), sum("margin")];
  return { revenue, orders, order: revenue / Math.max(orders, 1), share: margin / Math.max(revenue, 1) };
}
