import type { Question } from "./question";

/** Questions on the sample shop, for DuckDB. */
export const SHOP_QUESTIONS: Question[] = [
  { ask: "How many customers do we have?", sql: "select count(*) from customers" },
  { ask: "how many orders were placed in 2025", sql: "select count(*) from orders where year(placed_at) = 2025" },
  {
    ask: "What's the total value of all delivered orders?",
    sql: "select sum(total_cents) / 100.0 from orders where status = 'delivered'",
  },
  { ask: "Show me the number of customers per country", sql: "select country, count(*) from customers group by 1" },
  {
    ask: "top 10 customers by total order value",
    sql: "select c.name, sum(o.total_cents) / 100.0 from orders o join customers c on c.id = o.customer_id group by c.id, c.name order by 2 desc limit 10",
    isOrdered: true,
  },
  {
    ask: "Which five products sold the most units?",
    sql: "select p.name, sum(i.quantity) from order_items i join products p on p.id = i.product_id group by p.id, p.name order by 2 desc limit 5",
    isOrdered: true,
  },
  {
    ask: "How many different countries do our customers come from?",
    sql: "select count(distinct country) from customers",
  },
  {
    ask: "Give me monthly order counts for 2025",
    sql: "select strftime(date_trunc('month', placed_at), '%Y-%m'), count(*) from orders where year(placed_at) = 2025 group by 1",
  },
  { ask: "average order value by channel", sql: "select channel, avg(total_cents) / 100.0 from orders group by 1" },
  { ask: "What is the cheapest product?", sql: "select min(price_cents) / 100.0 from products" },
  { ask: "what was the largest order ever, in money", sql: "select max(total_cents) / 100.0 from orders" },
  {
    ask: "How many orders were cancelled last month?",
    sql: "select count(*) from orders where status = 'cancelled' and placed_at >= '2026-10-01' and placed_at < '2026-11-01'",
  },
  {
    ask: "Which customers never ordered anything?",
    sql: "select name from customers where id not in (select customer_id from orders)",
  },
  {
    ask: "how many customers signed up since March 2026?",
    sql: "select count(*) from customers where created_at >= '2026-03-01'",
  },
  { ask: "List all product categories", sql: "select distinct category from products" },
  { ask: "How many products are there in each category?", sql: "select category, count(*) from products group by 1" },
  {
    ask: "What share of orders came through each channel?",
    sql: "select channel, 100.0 * count(*) / sum(count(*)) over () from orders group by 1",
  },
  {
    ask: "What percentage of customers get the newsletter?",
    sql: "select 100.0 * count(*) filter (where newsletter) / count(*) from customers",
  },
  {
    ask: "revenue per product category, highest first",
    sql: "select p.category, sum(i.quantity * i.price_cents) / 100.0 from order_items i join products p on p.id = i.product_id group by 1 order by 2 desc",
    isOrdered: true,
  },
  {
    ask: "How many enterprise customers are in Germany?",
    sql: "select count(*) from customers where segment = 'enterprise' and country = 'Germany'",
  },
  {
    ask: "customers with more than 150 orders",
    sql: "select c.name from orders o join customers c on c.id = o.customer_id group by c.id, c.name having count(*) > 150",
  },
  {
    ask: "What are the most common refund reasons?",
    sql: "select reason, count(*) from refunds group by 1 order by 2 desc",
    isOrdered: true,
  },
  {
    ask: "total amount refunded in the third quarter of 2026",
    sql: "select sum(amount_cents) / 100.0 from refunds where refunded_at >= '2026-07-01' and refunded_at < '2026-10-01'",
  },
  {
    ask: "How many orders per quarter since 2025?",
    sql: "select date_trunc('quarter', placed_at)::date, count(*) from orders where placed_at >= '2025-01-01' group by 1",
  },
  { ask: "Number of orders by status, please", sql: "select status, count(*) from orders group by 1" },
  { ask: "which products cost more than 500 euros?", sql: "select name from products where price_cents > 50000" },
  { ask: "List inactive products", sql: "select name from products where not is_active" },
  {
    ask: "How many products have the word 'lamp' in their name?",
    sql: "select count(*) from products where name ilike '%lamp%'",
  },
  {
    ask: "Who are our newest 5 customers?",
    sql: "select name from customers order by created_at desc limit 5",
    isOrdered: true,
  },
  { ask: "How many page events have no referrer?", sql: "select count(*) from page_events where referrer is null" },
  { ask: "page events by kind", sql: "select kind, count(*) from page_events group by 1" },
  {
    ask: "Average time spent on checkout page events in milliseconds",
    sql: "select avg(duration_ms) from page_events where kind = 'checkout'",
  },
  {
    ask: "What was our revenue from orders by year?",
    sql: "select year(placed_at), sum(total_cents) / 100.0 from orders group by 1",
  },
  {
    ask: "how many orders did customers from France place in August 2026?",
    sql: "select count(*) from orders o join customers c on c.id = o.customer_id where c.country = 'France' and o.placed_at >= '2026-08-01' and o.placed_at < '2026-09-01'",
  },
  {
    ask: "How many orders came in through web or mobile this year?",
    sql: "select count(*) from orders where channel in ('web', 'mobile') and placed_at >= '2026-01-01' and placed_at < '2027-01-01'",
  },
  {
    ask: "orders that are neither delivered nor cancelled: how many?",
    sql: "select count(*) from orders where status not in ('delivered', 'cancelled')",
  },
  {
    ask: "Which region has the most customers?",
    sql: "select region, count(*) from customers group by 1 order by 2 desc limit 1",
  },
  {
    ask: "bottom 3 categories by number of items sold",
    sql: "select p.category, sum(i.quantity) from order_items i join products p on p.id = i.product_id group by 1 order by 2 limit 3",
    isOrdered: true,
  },
  {
    ask: "How many orders between 2025-11-20 and 2025-11-30?",
    sql: "select count(*) from orders where placed_at >= '2025-11-20' and placed_at < '2025-12-01'",
  },
  { ask: "What is the average number of items per order?", sql: "select avg(item_count) from orders" },
  {
    ask: "countries with fewer than 50 customers",
    sql: "select country from customers group by 1 having count(*) < 50",
  },
  {
    ask: "How many refunds did enterprise customers ask for?",
    sql: "select count(*) from refunds r join orders o on o.id = r.order_id join customers c on c.id = o.customer_id where c.segment = 'enterprise'",
  },
  {
    ask: "and by month?",
    after: ["How many orders were refunded in 2025?"],
    sql: "select strftime(date_trunc('month', placed_at), '%Y-%m'), count(*) from orders where status = 'refunded' and year(placed_at) = 2025 group by 1",
  },
  {
    ask: "only web ones",
    after: ["How many orders do we have per region?"],
    sql: "select region, count(*) from orders where channel = 'web' group by 1",
  },
  {
    ask: "And what about 2024?",
    after: ["What was the average order value in 2025?"],
    sql: "select avg(total_cents) / 100.0 from orders where year(placed_at) = 2024",
  },
  {
    ask: "break that down by segment",
    after: ["How many customers joined in 2026?"],
    sql: "select segment, count(*) from customers where year(created_at) = 2026 group by 1",
  },
  {
    ask: "Which tables are there?",
    sql: "",
    says: ["customers", "products", "orders", "order_items", "refunds", "page_events"],
  },
  {
    ask: "what columns does the refunds table have?",
    sql: "",
    says: ["order_id", "reason", "amount_cents", "refunded_at"],
  },
  {
    ask: "Daily orders over the last 7 days",
    sql: "select placed_at::date, count(*) from orders where placed_at >= '2026-10-25' and placed_at < '2026-11-01' group by 1",
  },
  {
    ask: "weekly revenue in September 2026 from orders",
    sql: "select date_trunc('week', placed_at)::date, sum(total_cents) / 100.0 from orders where placed_at >= '2026-09-01' and placed_at < '2026-10-01' group by 1",
  },
  {
    ask: "Could you tell me how many store orders we got in July 2026?",
    sql: "select count(*) from orders where channel = 'store' and placed_at >= '2026-07-01' and placed_at < '2026-08-01'",
  },
  {
    ask: "What do we refund on average when something arrived damaged?",
    sql: "select avg(amount_cents) / 100.0 from refunds where reason = 'arrived damaged'",
  },
  {
    ask: "segments ranked by number of customers",
    sql: "select segment, count(*) from customers group by 1 order by 2 desc",
    isOrdered: true,
  },
  {
    ask: "Which Lighting products are no longer active?",
    sql: "select name from products where category = 'Lighting' and not is_active",
  },
  {
    ask: "How many Italian customers subscribed to the newsletter?",
    sql: "select count(*) from customers where country = 'Italy' and newsletter",
  },
  { ask: "yearly number of new customers", sql: "select year(created_at), count(*) from customers group by 1" },
  {
    ask: "Sum of order totals for partner orders, by quarter of 2026",
    sql: "select date_trunc('quarter', placed_at)::date, sum(total_cents) / 100.0 from orders where channel = 'partner' and placed_at >= '2026-01-01' and placed_at < '2027-01-01' group by 1",
  },
  {
    ask: "What was the biggest refund in 2025?",
    sql: "select max(amount_cents) / 100.0 from refunds where refunded_at >= '2025-01-01' and refunded_at < '2026-01-01'",
  },
  {
    ask: "Which categories have an average price above 100 euros?",
    sql: "select category from products group by 1 having avg(price_cents) > 10000",
  },
  {
    ask: "customers per region outside Europe",
    sql: "select region, count(*) from customers where region <> 'Europe' group by 1",
  },
];
