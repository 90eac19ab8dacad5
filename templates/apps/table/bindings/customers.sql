---
connectionId: {{sampleConnectionId}}
schedule: "0 6 * * *"
description: Each customer with what they have bought
---
select c.id,
       c.name,
       c.email,
       c.country,
       c.segment,
       c.created_at::date as joined,
       count(o.id)::int as orders,
       coalesce(sum(o.total_cents) / 100.0, 0)::decimal(12, 2) as revenue,
       max(o.placed_at)::date as last_order
from customers c
left join orders o on o.customer_id = c.id and o.status <> 'cancelled'
group by all
order by c.id
