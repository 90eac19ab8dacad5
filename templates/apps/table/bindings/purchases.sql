---
connectionId: {{sampleConnectionId}}
schedule: "0 6 * * *"
description: What each customer has bought, a row for each category
---
select o.customer_id,
       p.category,
       sum(i.quantity)::int as items,
       (sum(i.quantity * i.price_cents) / 100.0)::decimal(12, 2) as revenue
from orders o
join order_items i on i.order_id = o.id
join products p on p.id = i.product_id
where o.status <> 'cancelled'
group by all
order by all
