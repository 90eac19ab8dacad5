import "server-only";
import type { DatabaseError } from "pg";
import type { Use } from "@/lib/platform/embedded/grammar/verdict";
import { AppError } from "@/lib/platform/http/errors";
import {
  COMPOSING_SYMBOLS,
  EXTENSION_STABLE_REFUSED,
  EXTENSION_VOLATILE_ALLOWED,
  FOREIGN_ALLOWED,
  HARMLESS_ROLES,
  OPAQUE_WORDS,
  SECRET_RELATIONS,
  STABLE_REFUSED,
  STATEMENT_SYMBOLS,
  STATISTICS_VIEWS,
  VOLATILE_ALLOWED,
} from "./functions";
import { GIVE_BACK } from "./pins";

/*
 * The server itself says what a statement's names stand for, in the transaction that then runs it (T42). Everything that
 * a name can lead to is followed: overloads, operators, casts, the checks of domains, the bodies of views and policies,
 * the parts of aggregates. More is followed than the server would run, never less. What may not run ends the transaction
 * by an error before the statement, which is already on its way behind it and costs no round trip of its own.
 */

/** One constant, which the server reads much faster than an array of many. None of the names needs quotes in it. */
const texts = (items: readonly string[]) => `'{${items.join(",")}}'::text[]`;

/**
 * Not by `= any`: of that the planner estimates how many rows it leaves, name by name, which takes far longer than the
 * question itself.
 */
const isOneOf = (name: string, items: readonly string[]) =>
  `array_position(${texts(items)}, ${name}::text) is not null`;

/** Stands in front of what VERDICT_SQL has to say; no server says it by itself. */
const MARK = "millrace-refuses:";

/** First object number that initdb does not give out: below are the parts of PostgreSQL itself (access/transam.h). */
const FIRST_OWN_OID = 16_384;

/**
 * Roles with rights beyond tables. Whoever is or could become one of them runs only functions that can be seen through,
 * since a function may leave the role that a session was put in.
 */
const POWERFUL_ROLES = `select oid from pg_roles where rolsuper or rolreplication
  or (oid < ${FIRST_OWN_OID} and rolname like 'pg%' and not ${isOneOf("rolname", HARMLESS_ROLES)})`;

/** Operators that the server looks up by itself, for IN, CASE, BETWEEN, USING, ORDER BY and the like. */
const UNSPOKEN_OPERATORS = ["=", "<>", "<", "<=", ">", ">=", "~~"];

/** Names of letters beyond ASCII are folded and cut differently where the database is not in UTF-8. */
const COMPARED_CHARS = 15;

/** Where a name of the statement is looked for: its own schema, or those of the session's path. */
const inReach = (schema: string) =>
  `${schema} in (select oid from pg_namespace where case when g.s is null then nspname = any (me.schemas) else nspname = g.s end)`;

const OTHER_LETTERS = "getdatabaseencoding() <> 'UTF8' and g.n ~ '[^ -~]'";
const sameName = (name: string) =>
  `left(lower(${name}), ${COMPARED_CHARS}) = left(lower(g.n), ${COMPARED_CHARS}) and ${OTHER_LETTERS}`;
/** Called with as many values as the statement gives, where that is known. */
const TAKES = `(g.k <> 'a' or (p.pronargs > 0 and p.pronargs - p.pronargdefaults <= 1))
  and (g.a is null or p.provariadic <> 0 or g.a between p.pronargs - p.pronargdefaults and p.pronargs)`;

/** Their numbers are the same in every PostgreSQL (its catalog file pg_language.dat). */
const INTERNAL_LANGUAGE = 12;
const C_LANGUAGE = 13;

const refusedBuiltIn = (p: string) =>
  `((${p}.provolatile = 'v' and not ${isOneOf(`${p}.proname`, VOLATILE_ALLOWED)}) or ${isOneOf(`${p}.proname`, STABLE_REFUSED)})`;

/** What the refused functions of PostgreSQL itself are called inside of the server; read only when somebody asks. */
const REFUSED_INSIDE = `refused_inside as materialized (select b.prosrc from pg_proc b
  where b.oid < ${FIRST_OWN_OID} and b.prolang = ${INTERNAL_LANGUAGE} and ${refusedBuiltIn("b")})`;

/**
 * Whether anything can follow from a function that is only met on the way, such as the one behind an operator: not when
 * it is in C and only reads by its own word, and not when it is a built-in one of that kind under another name.
 * OFFSET keeps it a question about the few operators and casts at hand, and not a reading of all functions.
 */
const MAY_MATTER = (oid: string) => `exists (select from pg_proc p where p.oid = ${oid}
  and (p.provolatile = 'v' or p.prosecdef or ${isOneOf("p.prosrc", STATEMENT_SYMBOLS)} or case p.prolang
    when ${INTERNAL_LANGUAGE} then p.prosrc in (select b.prosrc from refused_inside b)
    else p.prolang <> ${C_LANGUAGE} end) offset 0)`;

/** json and jsonb, and the types that stand for any: record, "any", anyarray, anyelement and their like (pg_type.dat). */
const JSON_TYPES = "(114, 3802)";
const ANY_TYPES = "'{2249,2276,2277,2283,2776,3500,3831,4537,5077,5078,5079,5080,4538}'::oid[]";
/** No statement has a value of it. */
const INTERNAL_TYPE = 2281;
/**
 * Whether a function makes JSON of values of any type, or may, being in C: for that the server calls the cast to json that
 * a type has, when the function runs, and no tree tells of it.
 */
const makesJson = (
  p: string,
) => `(${p}.prorettype in ${JSON_TYPES} and ${p}.oid < ${FIRST_OWN_OID} or ${p}.prolang = ${C_LANGUAGE})
  and ${p}.proargtypes::oid[] && ${ANY_TYPES} and not ${p}.proargtypes::oid[] && '{${INTERNAL_TYPE}}'::oid[]`;
const JSON_CASTS = `c.casttarget in ${JSON_TYPES} and c.oid >= ${FIRST_OWN_OID} and c.castfunc <> 0`;
/** What a view's tree has where JSON is made without a function (since PostgreSQL 16). */
const JSON_IN_TREE = "'[{]JSON'";

/** A relation of the catalogue that holds secrets: named here, or built-in and closed to PUBLIC. TOAST tables hold parts of rows. */
const isSecret = (c: string) => `(${c}.relkind = 't' or (${c}.oid < ${FIRST_OWN_OID}
  and (${isOneOf(`${c}.relname`, SECRET_RELATIONS)} or not has_table_privilege('public', ${c}.oid, 'select'))))`;
const isStatistics = (c: string) => `(${c}.oid < ${FIRST_OWN_OID} and ${isOneOf(`${c}.relname`, STATISTICS_VIEWS)})`;

/** Whether a role may read what statistics are about, beyond tables of its own: they then show values of secret columns. */
const seesSecrets = (role: string) => `(has_table_privilege(${role}, 'pg_catalog.pg_statistic', 'select')
  or has_table_privilege(${role}, 'pg_catalog.pg_statistic_ext_data', 'select')
  or has_column_privilege(${role}, 'pg_catalog.pg_authid', 'rolpassword', 'select')
  or has_column_privilege(${role}, 'pg_catalog.pg_user_mapping', 'umoptions', 'select')
  or has_column_privilege(${role}, 'pg_catalog.pg_subscription', 'subconninfo', 'select'))`;

/** Foreign tables that may read files or run programs of the server, and those that name a secret relation of another one. */
const CLOSED_FOREIGN = `closed_foreign as materialized (select ft.ftrelid as id,
    case when not exists (select from pg_depend d join pg_extension e on e.oid = d.refobjid
      where d.classid = 'pg_proc'::regclass and d.objid = w.fdwhandler and d.deptype = 'e' and ${isOneOf("e.extname", FOREIGN_ALLOWED)})
    then 'foreign' when s.oid is not null then 'secret' end as reason
  from pg_foreign_table ft join pg_class c on c.oid = ft.ftrelid
    join pg_foreign_server f on f.oid = ft.ftserver join pg_foreign_data_wrapper w on w.oid = f.srvfdw
    left join pg_class s on s.relname = coalesce((select option_value from pg_options_to_table(ft.ftoptions)
      where option_name = 'table_name'), c.relname) and (${isSecret("s")} or ${isStatistics("s")}))`;

/** Where a function is called: in the statement itself, in a view (then it is the view's number), or anywhere else. */
const OWN_CALL = 0;
const ELSEWHERE = 1;

const ROOTS = `
  select 'f', p.oid, ${OWN_CALL}::oid from given g cross join me join pg_proc p on p.proname = g.n::name
    where g.k in ('f', 'a') and ${inReach("p.pronamespace")} and ${TAKES}
  union all
  select 'f', p.oid, ${OWN_CALL}::oid from given g cross join me join pg_proc p on ${sameName("p.proname")} where g.k in ('f', 'a')
  union all
  select 't', t.oid, ${OWN_CALL}::oid from given g cross join me join pg_type t on t.typname = g.n::name
    where g.k in ('f', 'a', 't') and ${inReach("t.typnamespace")}
  union all
  select 't', t.oid, ${OWN_CALL}::oid from given g join pg_type t on ${sameName("t.typname")} where g.k in ('f', 'a', 't')
  union all
  select 'r', c.oid, ${OWN_CALL}::oid from given g cross join me join pg_class c on c.relname = g.n::name
    where g.k = 'r' and ${inReach("c.relnamespace")}
  union all
  select 'r', c.oid, ${OWN_CALL}::oid from given g join pg_class c on ${sameName("c.relname")} where g.k = 'r'
  union all
  select 'o', o.oid, ${OWN_CALL}::oid from pg_operator o where o.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("o.oprcode")}
    and (${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} or o.oprname in (select g.n::name from given g where g.k = 'o'))
  union all
  select 'f', p.amproc, ${ELSEWHERE}::oid from given g join pg_operator o on o.oprname = g.n::name
      join pg_amop a on a.amopopr = o.oid join pg_amproc p on p.amprocfamily = a.amopfamily
    where g.k = 'o' and a.oid >= ${FIRST_OWN_OID} and (g.s is not null or not ${isOneOf("g.n", UNSPOKEN_OPERATORS)})
  union all
  select 'f', c.castfunc, ${ELSEWHERE}::oid from pg_cast c where c.oid >= ${FIRST_OWN_OID} and c.castcontext = 'i' and ${MAY_MATTER("c.castfunc")}`;

/** The stored trees of what the object brings along; whatever they name stands in them by its number. */
const TREES = `
  select w.ev_action::text as tree, case when i.id >= ${FIRST_OWN_OID} then i.id else ${ELSEWHERE} end as view from pg_rewrite w join pg_class c on c.oid = w.ev_class
    where i.k = 'r' and w.ev_class = i.id and w.ev_type = '1' and c.relkind = 'v'
  union all
  select p.polqual::text, ${ELSEWHERE} from pg_policy p where i.k = 'r' and p.polrelid = i.id and p.polqual is not null
  union all
  select d.adbin::text, ${ELSEWHERE} from pg_attribute a join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where i.k = 'r' and a.attrelid = i.id and a.attgenerated <> ''
  union all
  select c.conbin::text, ${ELSEWHERE} from pg_constraint c where i.k = 't' and c.contypid = i.id and c.conbin is not null
  union all
  select p.proargdefaults::text, ${ELSEWHERE} from pg_proc p where i.k = 'f' and p.oid = i.id and i.id >= ${FIRST_OWN_OID}
  union all
  select to_json(p)->>'prosqlbody', ${ELSEWHERE} from pg_proc p where i.k = 'f' and p.oid = i.id and me.wary
    and i.id >= ${FIRST_OWN_OID}
  union all
  select c.conbin::text, ${ELSEWHERE} from pg_constraint c
    where i.k = 'r' and me.wary and c.conrelid = i.id and c.conbin is not null
  union all
  select x.indexprs::text || coalesce(x.indpred::text, ''), ${ELSEWHERE} from pg_index x where i.k = 'r' and me.wary and x.indrelid = i.id
  union all
  select x.indpred::text, ${ELSEWHERE} from pg_index x where i.k = 'r' and me.wary and x.indrelid = i.id`;

/** Parts of a stored tree that stand for objects, with their numbers; some have several (PostgreSQL's nodes/readfuncs.c). */
const TREE_PARTS =
  ":(funcid|opfuncid|hashfuncid|negfuncid|aggfnoid|winfnoid|tsmhandler|startInRangeFunc|endInRangeFunc|opno|opnos|eqop|sortop|cycle_mark_neop|relid|[a-z]*types?) [(]?o? ?([0-9 ]+)";
const NUMBERS_IN = (tree: string) => `regexp_matches(${tree}, '${TREE_PARTS}', 'g') m
  cross join lateral regexp_split_to_table(trim(m[2]), ' +') n`;
/** Object numbers have 32 bits, and a server that is old enough has given out most of them. */
const IS_NUMBER = "n <> '' and length(n) <= 10 and n::int8 between 1 and 4294967295";
const PART_KIND =
  "case when m[1] = 'relid' then 'r' when m[1] ~ 'type' then 't' when m[1] ~ 'op' and m[1] <> 'opfuncid' then 'o' else 'f' end";
/** The tables below PostgreSQL's own views are not followed: those views are made to show no more than anybody may see. */
const isBelowOwnView = (relation: string) => `(${relation} < ${FIRST_OWN_OID} and m[1] = 'relid')`;

const IN_TREES = `
  select ${PART_KIND} as k,
    n::oid as id, case when m[1] = 'funcid' or m[1] ~ 'type' then t.view else ${ELSEWHERE} end::oid as via
  from (${TREES}) t cross join lateral ${NUMBERS_IN("t.tree")}
  where ${IS_NUMBER} and not (i.k = 'r' and ${isBelowOwnView("i.id")})
  union all
  select 'f', 'pg_catalog.to_json(anyelement)'::regprocedure, ${ELSEWHERE} from (${TREES}) t where t.tree ~ ${JSON_IN_TREE}`;

/** What a statement can call, also from within: triggers are called by changes alone. */
const IS_CALLED = "p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)";
/** It runs with rights beyond tables that the caller does not have. */
const isLent = (user: string) => `p.prosecdef and (p.proowner in (select oid from pg_roles where rolsuper)
  or (p.proowner <> ${user} and exists (select from powerful w where pg_has_role(p.proowner, w.oid, 'member'))))`;

/** A function of the people, in a language whose text tells what it does, as long as no word of it is opaque. */
const IS_READ = `(l.lanname in ('sql', 'plpgsql') and p.oid >= ${FIRST_OWN_OID})`;
const WORDS = `regexp_split_to_array(lower(p.prosrc), '[^a-z0-9_]+')`;

/** Whatever the text of a function may name, by its words; a name of other letters, wherever it stands in the text. */
const inText = (name: string) =>
  `(lower(${name}) = any (b.words) or (${name} ~ '[^A-Za-z0-9_]' and strpos(b.source, replace(lower(${name}), '"', '""')) > 0))`;
const BODY = `(select ${WORDS} as words, lower(p.prosrc) as source from pg_proc p join pg_language l on l.oid = p.prolang
  where me.wary and i.k = 'f' and p.oid = i.id and ${IS_READ} and p.prosrc <> '' offset 0) b`;

/**
 * How values of a type are sorted, for the types that the statement or a view in it names, and those of columns and of
 * functions' results; an operator that merely exists says nothing of a statement.
 */
const SORTED_BY = `(select i.id as type where i.k = 't' and i.via <> ${ELSEWHERE}
    union all select p.prorettype from pg_proc p where i.k = 'f' and i.via <> ${ELSEWHERE} and p.oid = i.id
    union all select a.atttypid from pg_attribute a where i.k = 'r' and a.attrelid = i.id) v
  join pg_opclass c on c.opcintype = v.type and c.oid >= ${FIRST_OWN_OID}`;

/** Relations from which a materialised view has copied its rows. */
const COPIED = `
  select 'c', n::oid from pg_class c join pg_rewrite w on w.ev_class = c.oid cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where i.k in ('r', 'c') and c.oid = i.id and (c.relkind = 'm' or (i.k = 'c' and c.relkind = 'v'))
      and m[1] = 'relid' and ${IS_NUMBER} and not ${isBelowOwnView("i.id")}`;

const STEPS = `${COPIED}
  union all  select 't', t from pg_proc p, unnest(p.proargtypes::oid[] || p.prorettype || coalesce(p.proallargtypes, '{}')) t
    where i.k = 'f' and p.oid = i.id and t >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_aggregate a, unnest(array[a.aggtransfn, a.aggfinalfn, a.aggcombinefn, a.aggserialfn,
    a.aggdeserialfn, a.aggmtransfn, a.aggminvtransfn, a.aggmfinalfn]::oid[]) f
    where i.k = 'f' and a.aggfnoid = i.id::regproc and i.id >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_operator o, unnest(array[o.oprcode, o.oprrest, o.oprjoin]::oid[]) f
    where i.k = 'o' and o.oid = i.id and i.id >= ${FIRST_OWN_OID}
  union all
  select 't', x from pg_type t, unnest(array[t.typbasetype, t.typelem]) x
    where i.k = 't' and t.oid = i.id and x >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_type t, unnest(array[t.typinput, t.typoutput, t.typmodin, t.typmodout]::oid[]) f
    where i.k = 't' and t.oid = i.id and t.typtype = 'b' and f >= ${FIRST_OWN_OID}
  union all
  select 'f', f from pg_range r, unnest(array[r.rngcanonical, r.rngsubdiff]::oid[]) f where i.k = 't' and r.rngtypid = i.id
  union all
  select 't', r.rngsubtype from pg_range r where i.k = 't' and r.rngtypid = i.id and i.id >= ${FIRST_OWN_OID}
  union all
  select 'f', c.castfunc from pg_cast c
    where i.k = 't' and c.casttarget = i.id and c.oid >= ${FIRST_OWN_OID} and c.castfunc <> 0
      and (i.via = ${OWN_CALL} or i.id >= ${FIRST_OWN_OID})
  union all
  select 'f', c.castfunc from pg_proc p join pg_cast c on ${JSON_CASTS} where i.k = 'f' and p.oid = i.id and ${makesJson("p")}
  union all
  select 'f', c.castfunc from ${BODY} cross join pg_cast c
    where (c.castcontext <> 'e' or b.source ~ '::|cast') and c.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("c.castfunc")}
  union all
  select 't', a.atttypid from pg_attribute a
    where i.k = 'r' and a.attrelid = i.id and a.atttypid >= ${FIRST_OWN_OID}
  union all
  select 't', a.atttypid from pg_type t join pg_attribute a on a.attrelid = t.typrelid
    where i.k = 't' and t.oid = i.id and a.atttypid >= ${FIRST_OWN_OID}
  union all
  select 'r', h.inhrelid from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where i.k = 'r' and h.inhparent = i.id and (me.wary or c.relkind in ('f', 'p'))
  union all
  select 'f', p.amproc from ${SORTED_BY} join pg_amproc p on p.amprocfamily = c.opcfamily
  union all
  select 'f', p.amproc from pg_range r join pg_opclass c on c.oid = r.rngsubopc join pg_amproc p on p.amprocfamily = c.opcfamily
    where i.k = 't' and r.rngtypid = i.id and c.oid >= ${FIRST_OWN_OID}
  union all
  select 'f', p.oid from ${BODY} cross join lateral (select p.oid from pg_proc p where ${inText("p.proname")} offset 0) p
  union all
  select 't', t.oid from ${BODY} cross join lateral (select t.oid from pg_type t where t.oid >= ${FIRST_OWN_OID} and ${inText("t.typname")} offset 0) t
  union all
  select 'r', c.oid from ${BODY} cross join lateral (select c.oid from pg_class c
    where (c.oid >= ${FIRST_OWN_OID} and (c.relkind in ('v', 'm', 'f', 'p') or c.relhassubclass) or ${isSecret("c")} or ${isStatistics("c")})
      and ${inText("c.relname")} offset 0) c
  union all
  select 'o', o.oid from ${BODY} cross join pg_operator o where o.oid >= ${FIRST_OWN_OID}
    and (${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} or strpos(b.source, o.oprname) > 0)`;

const UNSEEN = "case when me.powerful then 'opaque' when me.lent then 'hidden' else 'unseen' end";

/**
 * A call of a function that runs texts: the judge has seen those of the statement itself ($2 are the functions he knows)
 * and of the views that he was shown ($3, by their definitions' hashes). Nobody sees what a policy or an operator gives it.
 */
const IS_SEEN = `p.proname = any ($2::text[]) and (i.via = ${OWN_CALL}
  or (not exists (select from pg_cast c where c.castfunc = p.oid) and md5(pg_get_viewdef(i.via)) = $3::json->>i.via::text))`;

/** A function of the people under the name of a built-in one is judged as what it is in C. */
const REASON = `case
  when ${isLent("me.id")} then 'definer'
  when me.wary and array_to_string(p.proconfig, ',') ~* '(^|,)(role|session_authorization)=' then ${UNSEEN}
  when ${isOneOf("p.prosrc", COMPOSING_SYMBOLS)} and l.lanname in ('c', 'internal') then 'volatile'
  when ${isOneOf("p.prosrc", STATEMENT_SYMBOLS)} and (l.lanname = 'internal' or (l.lanname = 'c' and p.probin like '%tablefunc%')) then
    case when i.via = ${ELSEWHERE} then 'buried' when ${IS_SEEN} then null
      when p.proname <> all ($2::text[]) then 'statement' else 'within' end
  when p.oid < ${FIRST_OWN_OID} then case when ${refusedBuiltIn("p")} then 'volatile' end
  when l.lanname = 'internal' then case when p.prosrc in (select b.prosrc from refused_inside b) then 'volatile' end
  when e.extname is not null and l.lanname = 'c' then case
    when p.provolatile = 'v' and not ${isOneOf("(e.extname || '.' || p.proname)", EXTENSION_VOLATILE_ALLOWED)} then 'volatile'
    when ${isOneOf("(e.extname || '.' || p.proname)", EXTENSION_STABLE_REFUSED)} then 'volatile' end
  when e.extname is not null and p.provolatile = 'v' then 'volatile'
  when not l.lanpltrusted then case when p.prokind <> 'a' then 'language' end
  when me.wary and p.prokind <> 'a' and not ${IS_READ} then ${UNSEEN}
  when me.wary and p.prokind <> 'a' and (${WORDS} && ${texts(OPAQUE_WORDS)} or p.prosrc ~* 'u&') then ${UNSEEN}
  end`;

const GIVEN = "given as materialized (select * from json_to_recordset($1::json) as x(k text, s text, n text, a int))";
const POWERFUL = `powerful as materialized (${POWERFUL_ROLES})`;
const IS_POWERFUL = (user: string) => `exists (select from powerful w where pg_has_role(${user}, w.oid, 'member'))`;

/**
 * Ends the transaction when the statement reaches what it may not, or else gives the session back to the user (GIVE_BACK).
 * `$1` are the names of the statement, and of the texts in views that it reaches, as JSON. `$2` are the functions whose texts
 * the judge looks into, `$3` hashes of the views that he has looked into, by their numbers, as JSON.
 */
export const VERDICT_SQL = `
with recursive ${GIVEN}, ${POWERFUL}, ${REFUSED_INSIDE}, ${CLOSED_FOREIGN},
me as materialized (select r.oid as id,
    array['pg_catalog'::name] || current_setting('millrace.schemas')::name[] as schemas,
    u.powerful, u.lent, u.sees_secrets, u.powerful or u.lent or u.sees_secrets or exists (select from closed_foreign where reason = 'foreign') as wary
  from pg_roles r cross join lateral (select ${IS_POWERFUL("r.oid")} as powerful, ${seesSecrets("r.oid")} as sees_secrets,
    exists (select from pg_proc p where ${isLent("r.oid")} and ${IS_CALLED}
      and has_function_privilege(r.oid, p.oid, 'execute')) as lent) u
  where r.rolname = current_setting('millrace.user')),
item(k, id, via) as (
  select * from (${ROOTS}) roots(k, id, via)
  union
  select e.k, e.id, e.via from item i cross join me cross join lateral (
    select s.k, s.id, ${ELSEWHERE}::oid as via from (${STEPS}) s(k, id) union all ${IN_TREES}) e),
refused as (
  select ${REASON} as reason, p.proname as name, i.via as view
    from item i cross join me join pg_proc p on i.k = 'f' and p.oid = i.id join pg_language l on l.oid = p.prolang
    left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e' and p.oid >= ${FIRST_OWN_OID}
    left join pg_extension e on e.oid = d.refobjid
  union all
  select 'secret', c.relname, 0 from item i cross join me join pg_class c on i.k in ('r', 'c') and c.oid = i.id
    where ${isSecret("c")} or (${isStatistics("c")} and (i.k = 'c' or me.sees_secrets))
  union all
  select f.reason, c.relname, 0 from item i join closed_foreign f on i.k = 'r' and f.id = i.id join pg_class c on c.oid = f.id)
select case when no.reason is not null then ('${MARK}' || json_build_object('reason', no.reason, 'name', no.name, 'view', no.view::int8))::int end,
  ${GIVE_BACK}
from (select) one left join lateral (select * from refused where reason is not null order by reason not in ('statement', 'within') limit 1) no on true`;

/** Default orders of people's own for built-in types, which a statement uses without a word (btree and hash: pg_am.dat). */
const OWN_ORDERS = `exists (select from pg_opclass c
    where c.oid >= ${FIRST_OWN_OID} and c.opcdefault and c.opcmethod in (403, 405) and c.opcintype < ${FIRST_OWN_OID})
  or exists (select from given g join pg_operator o on o.oprname = g.n::name join pg_amop a on a.amopopr = o.oid
    where g.k = 'o' and a.oid >= ${FIRST_OWN_OID} and a.amopmethod = 403
      and (g.s is not null or not ${isOneOf("g.n", UNSPOKEN_OPERATORS)}))`;

const OWN_JSON = `exists (select from pg_cast c where ${JSON_CASTS} and ${MAY_MATTER("c.castfunc")})`;

/** A materialised view of the catalogue or of other views: what it copied has to be followed. */
const isCopyOfMore = `(c.relkind = 'm' and exists (select from pg_rewrite w cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where w.ev_class = c.oid and m[1] = 'relid' and ${IS_NUMBER}
      and (n::oid < ${FIRST_OWN_OID} or exists (select from pg_class x where x.oid = n::oid and x.relkind in ('v', 'm', 'f')))))`;

/** Whether a relation has more to it than rows of built-in types. @param kinds those of its kinds that are known */
const isMoreThanRows = (
  kinds: string,
) => `(c.relkind not in (${kinds}) or c.relrowsecurity or ${isSecret("c")} or ${isStatistics("c")} or ${isCopyOfMore}
  or (c.relhassubclass and exists (select from pg_inherits h join pg_foreign_table f on f.ftrelid = h.inhrelid))
  or exists (select from pg_attribute a where a.attrelid = c.oid
    and (a.atttypid >= ${FIRST_OWN_OID} or a.attgenerated <> ''))
  or (c.oid >= ${FIRST_OWN_OID} and (c.relchecks > 0 or c.relhasindex or c.relhassubclass)
    and (${IS_POWERFUL("current_setting('millrace.user')::name")} or exists (select from pg_proc p where p.prosecdef and ${IS_CALLED}))
    and (c.relchecks > 0 or c.relhassubclass or exists (select from pg_index x where x.indrelid = c.oid
      and (x.indexprs is not null or x.indpred is not null)))))`;

const isMoreThanReading = (p: string) =>
  `(${p}.oid >= ${FIRST_OWN_OID} or ${refusedBuiltIn(p)} or ${isOneOf(`${p}.prosrc`, STATEMENT_SYMBOLS)})`;

/** What follows from the names of the statement alone, wherever they are found. */
const UNCLEAR_BY_NAMES = `
    exists (select from given g join pg_proc p on p.proname = g.n::name where g.k in ('f', 'a') and ${isMoreThanReading("p")})
    or exists (select from given g join pg_type t on t.typname = g.n::name
      where g.k in ('f', 'a', 't') and t.oid >= ${FIRST_OWN_OID})
    or exists (select from pg_operator o where o.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("o.oprcode")}
      and (${isOneOf("o.oprname", UNSPOKEN_OPERATORS)} or o.oprname in (select g.n::name from given g where g.k = 'o')))
    or exists (select from pg_cast c where c.oid >= ${FIRST_OWN_OID} and ${MAY_MATTER("c.castfunc")}
      and (c.castcontext = 'i' or exists (select from given g where g.k in ('f', 'a', 't'))))
    or ${OWN_ORDERS}
    or ${OWN_JSON} and exists (select from given g join pg_proc p on p.proname = g.n::name where g.k in ('f', 'a') and ${makesJson("p")})
    or exists (select from given g where ${OTHER_LETTERS})`;

/**
 * The reason is put together by a function that is not IMMUTABLE: the planner would work out a constant one, and so meet
 * the error before the question.
 */
const endsWhere = (isUnclear: string) => `
select case when ${isUnclear}
  then ('${MARK}' || json_build_object('reason', 'unclear', 'name', ''))::int end,
  ${GIVE_BACK}`;

/**
 * The quick look that is enough for most statements: tables of built-in types, and built-in functions that only read.
 * Names count wherever they are found. Whatever else a name may stand for makes it end the transaction with the reason
 * "unclear"; then VIEWS_VERDICT_SQL has to say, and after it VERDICT_SQL. It takes the same `$1`, and no other value.
 */
export const QUICK_VERDICT_SQL = `
with ${GIVEN}, ${POWERFUL}, ${REFUSED_INSIDE}
${endsWhere(`${UNCLEAR_BY_NAMES}
    or exists (select from given g join pg_class c on c.relname = g.n::name
      where g.k = 'r' and ${isMoreThanRows("'r', 'p', 'm', 'S'")})`)}`;

/**
 * The same for views over such tables, with such functions: what their stored trees name is looked at by its number. It
 * costs a third of VERDICT_SQL, most of which is the reading and planning of so long a statement.
 */
export const VIEWS_VERDICT_SQL = `
with recursive ${GIVEN}, ${POWERFUL}, ${REFUSED_INSIDE},
item(k, id) as (
  select 'r', c.oid from given g join pg_class c on c.relname = g.n::name where g.k = 'r'
  union
  select ${PART_KIND}, n::oid from item i
    join pg_class c on i.k = 'r' and c.oid = i.id and c.relkind = 'v'
    join pg_rewrite w on w.ev_class = c.oid and w.ev_type = '1'
    cross join lateral ${NUMBERS_IN("w.ev_action::text")}
    where ${IS_NUMBER} and not ${isBelowOwnView("i.id")})
${endsWhere(`${UNCLEAR_BY_NAMES}
    or exists (select from item i where i.k in ('t', 'o', 'f') and i.id >= ${FIRST_OWN_OID})
    or exists (select from item i join pg_proc p on p.oid = i.id where i.k = 'f' and ${isMoreThanReading("p")})
    or ${OWN_JSON} and (exists (select from item i join pg_proc p on p.oid = i.id where i.k = 'f' and ${makesJson("p")})
      or exists (select from item i join pg_rewrite w on i.k = 'r' and w.ev_class = i.id where w.ev_action::text ~ ${JSON_IN_TREE}))
    or exists (select from item i join pg_class c on c.oid = i.id
      where i.k = 'r' and ${isMoreThanRows("'r', 'p', 'm', 'S', 'v'")})`)}`;

/** What the judge looks into of a view, and what VERDICT_SQL knows it again by: read with the same path of schemas. */
export const VIEW_SQL = "select pg_get_viewdef($1::oid), md5(pg_get_viewdef($1::oid))";

/** The names of a statement, as both verdicts take them. */
export function toGiven(uses: readonly Use[]): string {
  return JSON.stringify(uses.map(({ kind, schema, name, args }) => ({ k: kind, s: schema, n: name, a: args })));
}

export type Refusal = {
  /** "unclear" comes from the quick look alone. "within": the judge has to look into the view first. */
  reason:
    | "unclear"
    | "volatile"
    | "statement"
    | "within"
    | "buried"
    | "definer"
    | "language"
    | "opaque"
    | "hidden"
    | "unseen"
    | "foreign"
    | "secret";
  name: string;
  /** For "within", the number of the view whose definition calls the function. */
  view?: number;
};

/** What VERDICT_SQL has ended the transaction for; null when that was something else. */
export function refusalOf(error: DatabaseError): Refusal | null {
  const at = error.message.indexOf(MARK);
  if (at < 0) return null;
  // The server quotes the text that it could not read as a number, in whatever language it speaks.
  const end = error.message.lastIndexOf("}");
  return JSON.parse(error.message.slice(at + MARK.length, end + 1)) as Refusal;
}

const SERVER =
  "It reaches beyond the tables of this database: its server's files, programs, settings or other sessions.";
const ORDINARY = "Connect with a role that has no rights beyond tables.";
const MESSAGES: Record<Refusal["reason"], (name: string) => string> = {
  unclear: () => "What the statement reaches cannot be told.",
  volatile: (name) => `The function ${name} cannot be used on a read-only connection. ${SERVER}`,
  statement: (name) => `${name} takes its query here as a plain text only, so that it can be looked at.`,
  within: (name) => `What the function ${name} runs in a view cannot be told.`,
  buried: (name) =>
    `The function ${name} runs a query that stands in no text that could be looked at, so a read-only connection does not call it.`,
  definer: (name) =>
    `The function ${name} runs with the rights of a superuser, so a read-only connection does not call it. Make it SECURITY INVOKER.`,
  language: (name) =>
    `The function ${name} is written in a language that may do everything on the server, so a read-only connection does not call it.`,
  opaque: (name) =>
    `This user has rights on the database's server, and what the function ${name} does with them cannot be seen from outside. ${ORDINARY}`,
  hidden: (name) =>
    `This user may call functions that run with the rights of a superuser, and whether the function ${name} does so cannot be seen from outside. Take EXECUTE on those from this user and from PUBLIC.`,
  unseen: (name) =>
    `The function ${name} may read passwords or files of the database's server, because its text cannot be checked. Write it in SQL or PL/pgSQL without EXECUTE.`,
  foreign: (name) =>
    `The foreign table ${name} cannot be used on a read-only connection. Its wrapper may read files or run programs on the database's server.`,
  secret: (name) => `${name} cannot be read here: it may hold passwords of the database's server.`,
};

export function toRefusal({ reason, name }: Refusal): AppError {
  return new AppError("not_allowed", MESSAGES[reason](name));
}
