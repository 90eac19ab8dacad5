/** A row for each sold item, with all columns of the charts below. Cancelled orders and a month that is not over are excluded. */
const SALES = `select o.id as order_id, o.customer_id, o.placed_at::date as placed_on, o.channel,
       c.country, p.category, p.name as product, i.quantity,
       (i.quantity * i.price_cents / 100.0)::decimal(12, 2) as revenue,
       (i.quantity * (i.price_cents - p.cost_cents) / 100.0)::decimal(12, 2) as margin
from order_items i
join orders o on o.id = i.order_id
join products p on p.id = i.product_id
join customers c on c.id = o.customer_id
where o.status <> 'cancelled'
  and o.placed_at < date_trunc('month', (select max(placed_at) from orders) + interval 1 day)`;

const ABOUT = `### How the shop is doing

Click a country or a month, and everything else follows.`;

const source = { datasetId: "sales" };
const revenue = { field: "revenue", op: "sum", as: "revenue" } as const;
const orders = { field: "order_id", op: "countDistinct", as: "orders" } as const;
/** A figure over months shows the last one, its change from the month before, and the course in a small line. */
const monthly = { dimensions: [{ field: "placed_on", timeUnit: "month" }], sort: [{ by: "placed_on" }] } as const;
const euros = { prefix: "€", digits: 0 } as const;
const nominal = (field: string, title: string) => ({ field, type: "nominal", sort: null, title });
const amount = (field: string, title: string) => ({ field, type: "quantitative", title });

/** Returns the dashboard over the sample shop for a new workspace, as a request body. */
export function sampleDashboard(connectionId: string) {
  return {
    title: "Sales overview",
    description: "Revenue, orders and what sells best, by month, country and category",
    access: "workspace" as const,
    message: "Add the dashboard of the sample shop",
    datasets: [{ id: "sales", name: "Sales", source: { connectionId, query: SALES } }],
    widgets: [
      {
        id: "revenue",
        kind: "kpi" as const,
        title: "Revenue, last month",
        source,
        spec: { ...monthly, measures: [revenue], prefix: "€", better: "up" },
        layout: { x: 0, y: 0, w: 3, h: 3 },
      },
      {
        id: "orders",
        kind: "kpi" as const,
        title: "Orders, last month",
        source,
        spec: { ...monthly, measures: [orders], better: "up" },
        layout: { x: 3, y: 0, w: 3, h: 3 },
      },
      {
        id: "customers",
        kind: "kpi" as const,
        title: "Customers, last month",
        source,
        spec: {
          ...monthly,
          measures: [{ field: "customer_id", op: "countDistinct", as: "customers" }],
          better: "up",
        },
        layout: { x: 6, y: 0, w: 3, h: 3 },
      },
      { id: "about", kind: "text" as const, title: "", spec: { text: ABOUT }, layout: { x: 9, y: 0, w: 3, h: 3 } },
      {
        id: "by-month",
        kind: "chart" as const,
        title: "Revenue by month",
        source,
        spec: {
          dimensions: [{ field: "placed_on", timeUnit: "month", as: "month" }],
          measures: [revenue],
          sort: [{ by: "month" }],
          compare: "year",
          formats: { revenue: euros },
          mark: { type: "area", line: true },
          encoding: { x: { field: "month", type: "temporal", title: "Month" }, y: amount("revenue", "Revenue") },
        },
        layout: { x: 0, y: 3, w: 8, h: 8 },
      },
      {
        id: "by-country",
        kind: "chart" as const,
        title: "Revenue by country",
        source,
        spec: {
          dimensions: ["country"],
          measures: [revenue],
          sort: [{ by: "revenue", order: "desc" }],
          formats: { revenue: euros },
          mark: { type: "bar" },
          encoding: { y: nominal("country", "Country"), x: amount("revenue", "Revenue") },
        },
        layout: { x: 8, y: 3, w: 4, h: 8 },
      },
      {
        id: "top-products",
        kind: "chart" as const,
        title: "Ten best sellers",
        source,
        spec: {
          dimensions: ["product"],
          measures: [revenue],
          sort: [{ by: "revenue", order: "desc" }],
          limit: 10,
          formats: { revenue: euros },
          mark: { type: "bar" },
          encoding: { y: nominal("product", "Product"), x: amount("revenue", "Revenue") },
        },
        layout: { x: 0, y: 11, w: 6, h: 7 },
      },
      {
        id: "by-category",
        kind: "table" as const,
        title: "Categories",
        source,
        spec: {
          dimensions: ["category"],
          measures: [
            orders,
            { field: "quantity", op: "sum", as: "sold" },
            revenue,
            { field: "margin", op: "sum", as: "margin" },
          ],
          sort: [{ by: "revenue", order: "desc" }],
          totals: true,
          formats: { revenue: euros, margin: euros },
        },
        layout: { x: 6, y: 11, w: 6, h: 7 },
      },
    ],
    filters: [
      { id: "when", kind: "dateRange" as const, field: "placed_on", title: "Ordered" },
      { id: "country", kind: "multiSelect" as const, field: "country", title: "Country" },
      { id: "category", kind: "multiSelect" as const, field: "category", title: "Category" },
    ],
  };
}
