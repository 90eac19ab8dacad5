/**
 * SQL for the sample shop, a household goods shop over almost three years. Every value is derived from its row's number
 * and the last day with DuckDB's hash and never from randomness or a clock, so that builds of one day have equal rows.
 */

export const SAMPLE_COUNTS = {
  customers: 2400,
  products: 180,
  orders: 100_000,
  order_items: 300_000,
  page_events: 1_000_000,
} as const;

/** Number of sessions, of 2 to 10 events, 6 on average. There are slightly too many, and surplus events are cut. */
const SESSIONS = 166_680;
/** Number of days with orders. */
const DAYS = 1035;
/** Customers that exist before the first order. */
const FIRST_CUSTOMERS = 500;

const FIRST_NAMES = [
  "Ada", "Amara", "Anton", "Beatriz", "Bram", "Carmen", "Chidi", "Clara", "Daniel", "Elif", "Emma", "Farid", "Freya",
  "Giulia", "Hana", "Hugo", "Ines", "Ivan", "Jonas", "Julia", "Kai", "Keiko", "Lars", "Leila", "Lucas", "Maja", "Mateo",
  "Mina", "Nadia", "Noah", "Olga", "Omar", "Priya", "Rosa", "Samuel", "Sofia", "Tariq", "Vera", "Wei", "Yusuf",
]; // biome-ignore format: one look at the whole list
const LAST_NAMES = [
  "Abara", "Almeida", "Andersen", "Bauer", "Becker", "Bergman", "Bianchi", "Brandt", "Castro", "Chen", "Costa", "Dahl",
  "Dubois", "Eriksen", "Farah", "Fischer", "Fontaine", "Garcia", "Haddad", "Hansen", "Hoffmann", "Ibrahim", "Ito",
  "Jansen", "Kaya", "Keller", "Khan", "Kowalski", "Larsen", "Lehmann", "Lindqvist", "Lopez", "Marino", "Martin", "Meyer",
  "Moreau", "Nakamura", "Novak", "Okafor", "Olsen", "Patel", "Pereira", "Petrov", "Ramos", "Rossi", "Roux", "Santos",
  "Sato", "Schmidt", "Silva", "Singh", "Sorensen", "Tanaka", "Torres", "Varga", "Visser", "Wagner", "Walker", "Weber",
  "Zhang",
]; // biome-ignore format: one look at the whole list
/** Country, region, and share of customers in percent. */
const COUNTRIES = [
  ["Germany", "Europe", 16], ["United Kingdom", "Europe", 12], ["France", "Europe", 10], ["Netherlands", "Europe", 7],
  ["Spain", "Europe", 6], ["Italy", "Europe", 6], ["Sweden", "Europe", 4], ["Poland", "Europe", 4],
  ["United States", "North America", 15], ["Canada", "North America", 5], ["Mexico", "North America", 2],
  ["Japan", "Asia Pacific", 4], ["Australia", "Asia Pacific", 4], ["Singapore", "Asia Pacific", 2],
  ["Brazil", "South America", 2], ["Chile", "South America", 1],
] as const; // biome-ignore format: a table
/** Category, its five products, and each one's price in euros in the cheapest of the four lines. */
const CATEGORIES = [
  ["Kitchen", ["Chef's Knife", "Cutting Board", "Mixing Bowl", "Pour-Over Kettle", "Dutch Oven"], [39, 29, 19, 49, 89]],
  ["Tableware", ["Dinner Plate", "Coffee Mug", "Carafe", "Cutlery Set", "Serving Tray"], [14, 12, 34, 59, 27]],
  ["Furniture", ["Desk", "Bookshelf", "Dining Chair", "Side Table", "Bed Frame"], [249, 179, 99, 79, 329]],
  ["Lighting", ["Desk Lamp", "Floor Lamp", "Pendant Light", "Wall Light", "Lantern"], [45, 89, 69, 55, 32]],
  ["Textiles", ["Wool Blanket", "Linen Sheets", "Bath Towel", "Cushion", "Rug"], [69, 99, 19, 29, 149]],
  ["Storage", ["Basket", "Storage Box", "Coat Rack", "Shoe Bench", "Glass Jar"], [24, 18, 49, 89, 9]],
  ["Garden", ["Planter", "Watering Can", "Garden Chair", "Bird Feeder", "Pruning Shears"], [22, 27, 79, 25, 31]],
  ["Office", ["Notebook", "Pen Holder", "Desk Organizer", "Wall Calendar", "Document Tray"], [9, 12, 34, 16, 21]],
  ["Travel", ["Weekender Bag", "Backpack", "Toiletry Kit", "Water Bottle", "Packing Cubes"], [119, 89, 34, 24, 29]],
] as const; // biome-ignore format: a table
/** The four lines in which each product is made, and their prices in percent. */
const LINES = [["Harbor", 100], ["Alder", 120], ["Linden", 150], ["Summit", 190]] as const; // biome-ignore format: short

const DAY_MS = 86_400_000;

function textList(values: readonly string[]): string {
  return `[${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(", ")}]`;
}

/** Returns the products as VALUES, in the order of their ids. */
function productRows(): string {
  const rows: string[] = [];
  for (const [categoryIndex, [category, things, prices]] of CATEGORIES.entries()) {
    for (const [thingIndex, thing] of things.entries()) {
      for (const [line, percent] of LINES) {
        const id = rows.length + 1;
        // Prices end in 90 cents.
        const price = Math.round(((prices[thingIndex] ?? 0) * percent) / 100) * 100 - 10;
        const sku = `${category.slice(0, 3).toUpperCase()}-${categoryIndex + 1}${thingIndex + 1}-${line.slice(0, 2).toUpperCase()}`;
        rows.push(`(${id}, '${sku}', '${line} ${thing.replaceAll("'", "''")}', '${category}', ${price})`);
      }
    }
  }
  return rows.join(",\n");
}

/** Each country appears as often as its percentage, because list positions are drawn evenly. */
const countryTickets = COUNTRIES.flatMap(([country, , percent]) => Array.from({ length: percent }, () => country));
const regionTickets = COUNTRIES.flatMap(([, region, percent]) => Array.from({ length: percent }, () => region));

/**
 * Returns the statements that fill an empty database, in order.
 * @param lastDay ISO date of the newest orders
 */
export function toSampleSql(lastDay: string): readonly string[] {
  const dayBefore = (days: number) => new Date(Date.parse(lastDay) - days * DAY_MS).toISOString().slice(0, 10);
  const firstDay = dayBefore(DAYS - 1);
  return [
    // A number from 0 up to but not including 1 for a row and a purpose, so that it can index a list.
    "create temp macro u(i, purpose) as (hash(i, purpose) % 1000003) / 1000003.0",
    "create temp macro pick(list, i, purpose) as list[1 + floor(u(i, purpose) * len(list))::int]",

    // Weight of each day: growth, weekday, the season before Christmas, and some noise.
    `create temp table days as
   select d::date as day,
          (1 + 1.4 * row_number() over (order by d) / ${DAYS}.0)
          * [0.92, 0.95, 0.97, 1.0, 1.12, 1.22, 1.05][isodow(d)]
          * case month(d) when 11 then 1.45 when 12 then 1.7 when 1 then 0.85 when 2 then 0.88
                          when 7 then 0.93 when 8 then 0.9 else 1.0 end
          * (0.93 + 0.14 * u(epoch(d)::bigint, 'weather')) as weight
   from range(timestamp '${firstDay}', timestamp '${dayBefore(-1)}', interval 1 day) t(d)`,
    `create temp table shares as
   select day, sum(weight) over (order by day) / sum(weight) over () as until,
          (sum(weight) over (order by day) - weight) / sum(weight) over () as since
   from days`,

    `create table customers (
     id integer primary key, name varchar not null, email varchar not null, country varchar not null,
     region varchar not null, segment varchar not null, newsletter boolean not null, created_at timestamp not null)`,
    `insert into customers
   with base as (
     select i + 1 as id,
            ${textList(FIRST_NAMES)}[1 + i % ${FIRST_NAMES.length}] as first_name,
            ${textList(LAST_NAMES)}[1 + (i // ${FIRST_NAMES.length} * 23 + i % ${FIRST_NAMES.length} * 7) % ${LAST_NAMES.length}] as last_name
     from range(${SAMPLE_COUNTS.customers}) t(i))
   select id, first_name || ' ' || last_name,
          lower(first_name || '.' || last_name) || id || '@' || pick(['example.com', 'example.org', 'example.net'], id, 'mail'),
          pick(${textList(countryTickets)}, id, 'country'), pick(${textList(regionTickets)}, id, 'country'),
          pick(['consumer', 'consumer', 'consumer', 'small business', 'small business', 'enterprise'], id, 'segment'),
          u(id, 'newsletter') < 0.42,
          case when id <= ${FIRST_CUSTOMERS}
               then timestamp '${dayBefore(DAYS - 1 + 365)}' + to_seconds(floor((id - u(id, 'joined')) * 365 * 86400 / ${FIRST_CUSTOMERS})::bigint)
               else timestamp '${firstDay}' + to_seconds(floor(
                      (id - u(id, 'joined') - ${FIRST_CUSTOMERS}) * ${DAYS - 7} * 86400 / (${SAMPLE_COUNTS.customers} - ${FIRST_CUSTOMERS}))::bigint)
          end
   from base order by id`,

    `create table products (
     id integer primary key, sku varchar not null unique, name varchar not null, category varchar not null,
     price_cents integer not null, cost_cents integer not null, is_active boolean not null, launched_on date not null)`,
    `insert into products
   select id, sku, name, category, price, floor(price * (0.42 + 0.2 * u(id, 'cost')))::int, u(id, 'active') < 0.96,
          date '${dayBefore(DAYS - 1 + 671)}' + floor(u(id, 'launch') * 660)::int
   from (values ${productRows()}) t(id, sku, name, category, price) order by id`,

    // Order ids follow the order of time; customers order only after they joined.
    `create temp table order_base as
   with placed as (
     select i, s.day + to_seconds(floor(86400 * least(0.9999,
                 0.3 + 0.42 * (u(i, 'hour') + u(i, 'hour2')) / 1.2))::bigint) as placed_at
     from range(${SAMPLE_COUNTS.orders}) t(i)
     join shares s on (i + 0.5) / ${SAMPLE_COUNTS.orders} > s.since and (i + 0.5) / ${SAMPLE_COUNTS.orders} <= s.until),
   numbered as (select row_number() over (order by placed_at, i)::int as id, placed_at from placed)
   select n.id, n.placed_at, 1 + floor(pow(u(n.id, 'customer'), 1.35) * known.customers)::int as customer_id
   from numbered n
   asof join (select created_at, row_number() over (order by id) as customers from customers) known
     on n.placed_at >= known.created_at`,

    // Every five orders have one, two, three, four and five items, in a pseudo-random order.
    `create temp table item_base as
   select row_number() over (order by o.id, n)::int as id, o.id as order_id,
          1 + floor(pow(u(o.id * 10 + n, 'product'), 1.7) * ${SAMPLE_COUNTS.products})::int as place
   from order_base o, range(1, 6) t(n)
   where n <= 1 + (o.id + hash((o.id - 1) // 5, 'items') % 5)::int % 5`,
    // The most popular products are spread over all categories.
    `create temp table popularity as
   select id as product_id, row_number() over (order by u(id, 'popularity') + price_cents / 90000.0, id) as place from products`,
    // An order's total depends on its items, whose foreign key needs the order, so they are inserted after it.
    `create temp table items as
   select b.id, b.order_id, p.id as product_id,
          case when u(b.id, 'quantity') < 0.68 then 1 when u(b.id, 'quantity') < 0.88 then 2
               when u(b.id, 'quantity') < 0.96 then 3 else 4 end as quantity,
          case when u(b.id, 'discount') < 0.12 then p.price_cents * 9 // 10 else p.price_cents end as price_cents
   from item_base b join popularity using (place) join products p on p.id = popularity.product_id order by b.id`,

    `create table orders (
     id integer primary key, customer_id integer not null references customers (id), status varchar not null, placed_at timestamp not null,
     channel varchar not null, region varchar not null, item_count integer not null, total_cents bigint not null)`,
    `insert into orders
   select b.id, b.customer_id,
          case when b.placed_at > timestamp '${dayBefore(1)}' then pick(['pending', 'processing', 'processing'], b.id, 'status')
               when b.placed_at > timestamp '${dayBefore(6)}' then pick(['processing', 'shipped', 'shipped', 'delivered'], b.id, 'status')
               when u(b.id, 'status') < 0.925 then 'delivered'
               when u(b.id, 'status') < 0.968 then 'cancelled' else 'refunded' end,
          b.placed_at, pick(['web', 'web', 'web', 'web', 'mobile', 'mobile', 'mobile', 'store', 'partner'], b.id, 'channel'),
          c.region, t.items, t.total
   from order_base b
   join customers c on c.id = b.customer_id
   join (select order_id, sum(quantity)::int as items, sum(quantity * price_cents)::bigint as total
         from items group by order_id) t on t.order_id = b.id
   order by b.id`,
    `create table order_items (
     id integer primary key, order_id integer not null references orders (id),
     product_id integer not null references products (id), quantity integer not null, price_cents integer not null)`,
    "insert into order_items from items order by id",

    `create table refunds (
     id integer primary key, order_id integer not null references orders (id), reason varchar not null, amount_cents bigint not null,
     refunded_at timestamp not null)`,
    `insert into refunds
   select row_number() over (order by id)::int, id,
          pick(['arrived damaged', 'changed my mind', 'changed my mind', 'wrong item', 'late delivery'], id, 'reason'),
          total_cents,
          least(placed_at + to_seconds(floor(86400 * (3 + 18 * u(id, 'refund')))::bigint), timestamp '${lastDay} 18:00:00')
   from orders where status = 'refunded' order by id`,

    // Without a foreign key to visitors: an index over a million of them would be a third of the file, and logs rarely
    // have one.
    `create table page_events (
     id integer primary key, occurred_at timestamp not null, session varchar not null, customer_id integer, path varchar not null,
     kind varchar not null, referrer varchar, duration_ms integer not null)`,
    `create temp table sessions as
   select i as n, s.day + to_seconds(floor(86000 * (0.28 + 0.7 * (u(i, 'at') + u(i, 'at2')) / 2))::bigint) as started_at,
          md5('session ' || i)[1:16] as session,
          case when u(i, 'known') < 0.38
               then 1 + floor(u(i, 'visitor') * (${FIRST_CUSTOMERS} + ${SAMPLE_COUNTS.customers - FIRST_CUSTOMERS} * s.since))::int end as customer_id,
          pick(['https://www.google.com/', 'https://www.google.com/', 'https://www.bing.com/', 'https://news.example.com/',
                'https://social.example.net/', 'https://mail.example.org/', '', '', ''], i, 'referrer') as referrer
   from range(${SESSIONS}) t(i)
   join shares s on (i + 0.5) / ${SESSIONS} > s.since and (i + 0.5) / ${SESSIONS} <= s.until`,
    `insert into page_events
   with steps as (
     select s.*, step, s.n * 16 + step as key
     from sessions s, range(1, 11) t(step)
     where step <= 2 + (s.n + hash(s.n // 9, 'steps') % 9)::int % 9),
   shown as (
     select *, case when step = 1 then pick(['home', 'home', 'category', 'product', 'search'], key, 'page')
                    when step >= 6 and u(key, 'page') < 0.12 then 'checkout'
                    when step >= 4 and u(key, 'page') < 0.3 then 'cart'
                    when u(key, 'page') < 0.42 then 'category' when u(key, 'page') < 0.5 then 'search' else 'product' end as page,
            started_at + to_seconds((step - 1) * 41 + floor(u(key, 'pause') * 40)::bigint) as occurred_at
     from steps)
   select row_number() over (order by n, step)::int, occurred_at, session, customer_id,
          case page when 'home' then '/' when 'search' then '/search' when 'cart' then '/cart' when 'checkout' then '/checkout'
                    when 'category' then '/c/' || lower(pick(${textList(CATEGORIES.map(([category]) => category))}, key, 'what'))
                    else '/p/' || (1 + floor(pow(u(key, 'what'), 2) * ${SAMPLE_COUNTS.products})::int) end,
          case page when 'cart' then 'add_to_cart' when 'checkout' then 'checkout' when 'search' then 'search' else 'view' end,
          case when step = 1 then nullif(referrer, '') end,
          (400 + 90000 * pow(u(key, 'duration'), 3))::int
   from shown order by n, step limit ${SAMPLE_COUNTS.page_events}`,

    `create view daily_revenue as
   select placed_at::date as day, count(*) as orders, (sum(total_cents) / 100.0)::decimal(18, 2) as revenue
   from orders where status <> 'cancelled' group by all order by day`,
    `create view product_sales as
   select p.id, p.name, p.category, sum(i.quantity) as sold, (sum(i.quantity * i.price_cents) / 100.0)::decimal(18, 2) as revenue,
          (sum(i.quantity * (i.price_cents - p.cost_cents)) / 100.0)::decimal(18, 2) as margin
   from order_items i join products p on p.id = i.product_id group by all`,
  ];
}
