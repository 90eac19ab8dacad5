---
connectionId: {{sampleConnectionId}}
schedule: "0 6 * * *"
description: Items, revenue and margin a month, by country and category
---
select date_trunc('month', o.placed_at)::date as month,
       c.country,
       p.category,
       sum(i.quantity)::int as items,
       (sum(i.quantity * i.price_cents) / 100.0)::decimal(14, 2) as revenue,
       (sum(i.quantity * (i.price_cents - p.cost_cents)) / 100.0)::decimal(14, 2) as margin
from orders o
join customers c on c.id = o.customer_id
join order_items i on i.order_id = o.id
join products p on p.id = i.product_id
where o.status <> 'cancelled'
group by all
order by all
