import type { Question } from "./question";

/** Questions on a support desk, for SQLite. */
export const DESK_QUESTIONS: Question[] = [
  { ask: "How many tickets are open right now?", sql: "select count(*) from tickets where status = 'open'" },
  { ask: "tickets by priority", sql: "select priority, count(*) from tickets group by 1" },
  {
    ask: "How many tickets did each agent get?",
    sql: "select a.full_name, count(*) from tickets t join agents a on a.id = t.assignee_id group by a.id",
  },
  { ask: "Which tickets have no assignee?", sql: "select subject from tickets where assignee_id is null" },
  { ask: "how many unassigned tickets are there", sql: "select count(*) from tickets where assignee_id is null" },
  { ask: "What is the average satisfaction score?", sql: "select avg(score) from satisfaction_ratings" },
  {
    ask: "average satisfaction score per agent, best first",
    sql: "select a.full_name, avg(r.score) from satisfaction_ratings r join tickets t on t.id = r.ticket_id join agents a on a.id = t.assignee_id group by a.id order by 2 desc",
    isOrdered: true,
  },
  {
    ask: "How many urgent tickets came in by phone?",
    sql: "select count(*) from tickets where priority = 'urgent' and channel = 'phone'",
  },
  {
    ask: "Number of agents in each team",
    sql: "select t.name, count(*) from agents a join teams t on t.id = a.team_id group by t.id",
  },
  {
    ask: "Show me tickets created last week per day",
    sql: "select date(created_at), count(*) from tickets where created_at >= '2026-10-19' and created_at < '2026-10-26' group by 1",
  },
  {
    ask: "How many companies are on the enterprise plan?",
    sql: "select count(*) from companies where plan = 'enterprise'",
  },
  {
    ask: "Top 5 companies by number of tickets",
    sql: "select co.name, count(*) from tickets t join contacts c on c.id = t.contact_id join companies co on co.id = c.company_id group by co.id order by 2 desc limit 5",
    isOrdered: true,
  },
  {
    ask: "Which companies have never opened a ticket?",
    sql: "select name from companies where id not in (select c.company_id from contacts c join tickets t on t.contact_id = c.id)",
  },
  {
    ask: "What's the median-free average first reply time in minutes for chat tickets?",
    sql: "select avg(first_reply_minutes) from tickets where channel = 'chat'",
  },
  { ask: "longest first reply per channel", sql: "select channel, max(first_reply_minutes) from tickets group by 1" },
  {
    ask: "How many tickets were created in each month of 2026?",
    sql: "select strftime('%Y-%m', created_at), count(*) from tickets where created_at >= '2026-01-01' and created_at < '2027-01-01' group by 1",
  },
  {
    ask: "Count the tickets tagged billing",
    sql: "select count(*) from tickets t join ticket_tags x on x.ticket_id = t.id join tags g on g.id = x.tag_id where g.name = 'billing'",
  },
  {
    ask: "What are the three most used tags?",
    sql: "select g.name, count(*) from ticket_tags x join tags g on g.id = x.tag_id group by g.id order by 2 desc limit 3",
    isOrdered: true,
  },
  { ask: "agents hired after 2024", sql: "select full_name from agents where hired_on >= '2025-01-01'" },
  { ask: "Who was hired first?", sql: "select full_name from agents order by hired_on limit 1" },
  { ask: "What do we pay our agents per month in total?", sql: "select sum(monthly_salary) from agents" },
  {
    ask: "average salary by team",
    sql: "select t.name, avg(a.monthly_salary) from agents a join teams t on t.id = a.team_id group by t.id",
  },
  { ask: "highest paid agent", sql: "select full_name from agents order by monthly_salary desc limit 1" },
  { ask: "Which agents earn less than 3000?", sql: "select full_name from agents where monthly_salary < 3000" },
  { ask: "How many agents are active?", sql: "select count(*) from agents where is_active = 1" },
  {
    ask: "How many tickets still pending or open have high priority?",
    sql: "select count(*) from tickets where status in ('pending', 'open') and priority = 'high'",
  },
  {
    ask: "What percentage of tickets are solved?",
    sql: "select 100.0 * sum(status = 'solved') / count(*) from tickets",
  },
  {
    ask: "share of tickets by channel in percent",
    sql: "select channel, 100.0 * count(*) / (select count(*) from tickets) from tickets group by 1",
  },
  {
    ask: "Tickets from companies in France",
    sql: "select t.subject from tickets t join contacts c on c.id = t.contact_id join companies co on co.id = c.company_id where co.country = 'France'",
  },
  {
    ask: "how many tickets per plan?",
    sql: "select co.plan, count(*) from tickets t join contacts c on c.id = t.contact_id join companies co on co.id = c.company_id group by 1",
  },
  {
    ask: "Which companies have more than 3 contacts?",
    sql: "select co.name from companies co join contacts c on c.company_id = co.id group by co.id having count(*) > 3",
  },
  {
    ask: "Companies with at least 20 tickets and how many they have",
    sql: "select co.name, count(*) from tickets t join contacts c on c.id = t.contact_id join companies co on co.id = c.company_id group by co.id having count(*) >= 20",
  },
  {
    ask: "How many ratings came with a comment?",
    sql: "select count(*) from satisfaction_ratings where comment is not null",
  },
  {
    ask: "how many ratings of 1 or 2 did we receive in September?",
    sql: "select count(*) from satisfaction_ratings where score in (1, 2) and rated_at >= '2026-09-01' and rated_at < '2026-10-01'",
  },
  {
    ask: "tickets whose subject mentions refund",
    sql: "select subject from tickets where lower(subject) like '%refund%'",
  },
  {
    ask: "What is the biggest company by employees?",
    sql: "select name from companies order by employees desc limit 1",
  },
  {
    ask: "How many companies do not say how many employees they have?",
    sql: "select count(*) from companies where employees is null",
  },
  {
    ask: "Companies with between 100 and 500 employees",
    sql: "select name from companies where employees between 100 and 500",
  },
  {
    ask: "Number of tickets solved in the last 30 days",
    sql: "select count(*) from tickets where solved_at >= '2026-10-02' and solved_at < '2026-11-02'",
  },
  {
    ask: "busiest day of all time: on which date did most tickets come in?",
    sql: "select date(created_at), count(*) from tickets group by 1 order by 2 desc limit 1",
    isOrdered: true,
  },
  {
    ask: "How many distinct contacts wrote to us in 2026?",
    sql: "select count(distinct contact_id) from tickets where created_at >= '2026-01-01' and created_at < '2027-01-01'",
  },
  {
    ask: "and for urgent ones?",
    after: ["What is the average first reply time in minutes?"],
    sql: "select avg(first_reply_minutes) from tickets where priority = 'urgent'",
  },
  {
    ask: "by team instead",
    after: ["How many tickets does each agent have?"],
    sql: "select t.name, count(*) from tickets k join agents a on a.id = k.assignee_id join teams t on t.id = a.team_id group by t.id",
  },
  {
    ask: "just the top 3",
    after: ["Number of tickets per agent, most first"],
    sql: "select a.full_name, count(*) from tickets t join agents a on a.id = t.assignee_id group by a.id order by 2 desc limit 3",
    isOrdered: true,
  },
  {
    ask: "Which agents don't have any tickets?",
    sql: "select full_name from agents where id not in (select assignee_id from tickets where assignee_id is not null)",
  },
  { ask: "Describe the tickets table", sql: "", says: ["subject", "priority", "assignee_id", "first_reply_minutes"] },
  { ask: "In which tables is there an email column?", sql: "", says: ["agents", "contacts"] },
  {
    ask: "How many chat tickets did we close or solve in 2025?",
    sql: "select count(*) from tickets where channel = 'chat' and status in ('closed', 'solved') and created_at >= '2025-01-01' and created_at < '2026-01-01'",
  },
  {
    ask: "headcount per team",
    sql: "select t.name, count(*) from agents a join teams t on t.id = a.team_id group by t.id",
  },
  {
    ask: "Which free plan companies are from Canada?",
    sql: "select name from companies where plan = 'free' and country = 'Canada'",
  },
  {
    ask: "What is the worst satisfaction score an enterprise company gave us?",
    sql: "select min(r.score) from satisfaction_ratings r join tickets t on t.id = r.ticket_id join contacts c on c.id = t.contact_id join companies co on co.id = c.company_id where co.plan = 'enterprise'",
  },
  {
    ask: "Give me the number of tickets per status for the Billing desk",
    sql: "select k.status, count(*) from tickets k join agents a on a.id = k.assignee_id join teams t on t.id = a.team_id where t.name = 'Billing desk' group by 1",
  },
  { ask: "How many ratings were there per score?", sql: "select score, count(*) from satisfaction_ratings group by 1" },
  {
    ask: "Who are the five best paid agents?",
    sql: "select full_name from agents order by monthly_salary desc limit 5",
    isOrdered: true,
  },
  { ask: "average number of employees by country", sql: "select country, avg(employees) from companies group by 1" },
  {
    ask: "Phone tickets with low priority since August",
    sql: "select id from tickets where channel = 'phone' and priority = 'low' and created_at >= '2026-08-01'",
  },
  {
    ask: "Which contacts belong to Delta Media?",
    sql: "select c.full_name from contacts c join companies co on co.id = c.company_id where co.name = 'Delta Media'",
  },
];
