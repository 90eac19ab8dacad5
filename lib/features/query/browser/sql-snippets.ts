/** A template of a statement. `template` has placeholders as in the editor: `#{name}`, and `#{}` for the last one. */
export type SqlSnippet = { name: string; shows: string; template: string };

/** Snippets by the words that are common in other SQL editors. */
export const SQL_SNIPPETS: readonly SqlSnippet[] = [
  {
    name: "sel",
    shows: "select ... from ... where",
    template: "select #{columns}\nfrom #{table}\nwhere #{condition}#{}",
  },
  {
    name: "grp",
    shows: "select ... group by",
    template: "select #{column}, count(*)\nfrom #{table}\ngroup by #{column}\norder by 2 desc#{}",
  },
  {
    name: "ins",
    shows: "insert into ... values",
    template: "insert into #{table} (#{columns})\nvalues (#{values})#{}",
  },
  {
    name: "upd",
    shows: "update ... set ... where",
    template: "update #{table}\nset #{column} = #{value}\nwhere #{condition}#{}",
  },
  { name: "del", shows: "delete from ... where", template: "delete from #{table}\nwhere #{condition}#{}" },
  {
    name: "cte",
    shows: "with ... as (...)",
    template: "with #{name} as (\n  select #{columns}\n  from #{table}\n)\nselect *\nfrom #{name}#{}",
  },
  {
    name: "case",
    shows: "case when ... end",
    template: "case\n  when #{condition} then #{value}\n  else #{other}\nend#{}",
  },
  { name: "join", shows: "join ... on", template: "join #{table} on #{condition}#{}" },
  { name: "ljoin", shows: "left join ... on", template: "left join #{table} on #{condition}#{}" },
  {
    name: "win",
    shows: "over (partition by ...)",
    template: "row_number() over (partition by #{column} order by #{order})#{}",
  },
  { name: "ex", shows: "exists (select ...)", template: "exists (select 1 from #{table} where #{condition})#{}" },
];
