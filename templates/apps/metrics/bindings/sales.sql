---
connectionId: {{sampleConnectionId}}
schedule: "0 6 * * *"
description: Orders and revenue a month, by region, country and channel
---
select date_trunc('month', o.placed_at)::date as month,
       c.region,
       c.country,
       o.channel,
       count(distinct o.id)::int as orders,
       sum(i.quantity * i.price_cents / 100.0)::decimal(14, 2) as revenue,
       sum(i.quantity * (i.price_cents - p.cost_cents) / 100.0)::decimal(14, 2) as margin
from orders o
join customers c on c.id = o.customer_id
join order_items i on i.order_id = o.id
join products p on p.id = i.product_id
where o.status <> 'cancelled'
group by all
order by all
