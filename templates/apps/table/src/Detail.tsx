import { useBinding } from "@millrace/app";
import type { Customer } from "./customer";
import { type Amount, toCount, toDay, toEuro } from "./format";

type Purchase = { category: string; items: number; revenue: Amount };

/** Details of one customer. */
export function Detail({ customer, onClose }: { customer: Customer; onClose: () => void }) {
  const purchases = useBinding<Purchase>("purchases", {
    where: { customer_id: customer.id },
    sort: [{ by: "revenue", order: "desc" }],
  });
  const top = Math.max(1, ...purchases.rows.map(({ revenue }) => Number(revenue)));
  return (
    <aside className="card detail" aria-label={customer.name}>
      <div className="head">
        <h2>{customer.name}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl>
        <dt>Email</dt>
        <dd>{customer.email}</dd>
        <dt>Country</dt>
        <dd>{customer.country}</dd>
        <dt>Customer since</dt>
        <dd>{toDay(customer.joined)}</dd>
        <dt>Orders</dt>
        <dd>{toCount(customer.orders)}</dd>
        <dt>Revenue</dt>
        <dd>{toEuro(customer.revenue)}</dd>
      </dl>
      <h2>Top purchases</h2>
      {purchases.error && <p className="problem">{purchases.error}</p>}
      <ul aria-busy={purchases.isLoading}>
        {purchases.rows.map(({ category, items, revenue }) => (
          <li key={category}>
            <span>{category}</span>
            <span className="value">
              {toCount(items)} × · {toEuro(revenue)}
            </span>
            <span className="track">
              <span className="bar" style={{ width: `${(Number(revenue) / top) * 100}%` }} />
            </span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
