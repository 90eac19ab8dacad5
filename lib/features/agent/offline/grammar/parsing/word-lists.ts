import { COMPARISONS } from "../../words";
import type { Adjective, Aggregate, Operator } from "../question";

/* The words of a question that mean the same in every database; `|` separates phrases of one meaning. */

export const OPERATORS: [string, Operator][] = [
  ...COMPARISONS,
  ["after|later than", ">"],
  ["before|earlier than", "<"],
  ["only", "="],
];
export const AGGREGATES: [string, Aggregate][] = [
  ["average|avg|mean", "avg"],
  ["maximum|max|highest|largest|greatest|biggest", "max"],
  ["minimum|min|lowest|smallest", "min"],
  ["total|sum|combined|overall", "sum"],
];
export const ADJECTIVES: [string, Adjective][] = [
  ["oldest|older", { columns: ["age"], opposite: "birth", isDescending: true }],
  ["youngest|younger", { columns: ["age"], opposite: "birth", isDescending: false }],
  ["longest|longer", { columns: ["length", "duration"], isDescending: true }],
  ["shortest|shorter", { columns: ["length", "duration", "height"], isDescending: false }],
  ["tallest|taller", { columns: ["height"], isDescending: true }],
  ["heaviest|heavier", { columns: ["weight"], isDescending: true }],
  ["lightest|lighter", { columns: ["weight"], isDescending: false }],
  ["most expensive|priciest|more expensive", { columns: ["price", "cost"], isDescending: true }],
  ["cheapest|least expensive|cheaper", { columns: ["price", "cost"], isDescending: false }],
  ["most populous|most populated", { columns: ["population"], isDescending: true }],
  ["least populous|least populated", { columns: ["population"], isDescending: false }],
  ["newest|latest|most recent|most recently", { columns: ["date", "year"], isDescending: true }],
  ["earliest", { columns: ["date", "year"], isDescending: false }],
];
export const LEADS =
  "please|return me|list me|sort|order|can you|could you|would you|tell me|show me|give me|find me|get me|show|list|list out|give|find|find out|return|tell|display|get|compute|calculate|report|select|i want to know|i want|what is|what are|what was|what were|what's|what|which|which are|which is|who are|who is";
export const DETERMINERS =
  "his or her|the corresponding|corresponding|their corresponding|its corresponding|the|a|an|all|all of|all the|all of the|any|our|their|its|his|her|these|those|of the|of all|of all the|list of|the list of|the values of|existing";
/** Verbs that only say that two tables belong together. */
export const LINKING_VERBS =
  "located|held|made|produced|used|use|uses|using|given|written|released|published|hired|employed|played|owned|built|founded|created|taught|offered|served|belonging|belong|belongs|associated|corresponding|registered|performed|conducted|working|enrolled|own|owns|live|lives|living|come|comes|named|called|titled|sell|sells|sold|contain|contains|containing|recorded|assigned|based|work|works|speak|speaks|spoken|cast|received|happened|occurred|caused|led|owns|manage|manages|operated|operate|reported|joined|grown|sent|placed|done|had|undergone|gone through|went through|received|participated|participated in|participate in|attended|serve|serves|run|runs|hold|holds|employ|employs|produce|produces|affiliated|wrote|write|writes|get|gets|got|came|came in|come in|came from|came through|came in through|come through|correspond|corresponds|opened|submitted|registered with|created by|that belong";
/** Verbs that rank things by how much of them was sold. */
export const SELLING_MOST =
  "sell best|sells best|sold best|sell the best|sells the best|sold the best|sell most|sells most|sold most|sell the most|sells the most|sold the most|are selling best|is selling best";
export const SELLING_LEAST =
  "sell worst|sells worst|sold worst|sell the worst|sells the worst|sold the worst|sell least|sells least|sold least|sell the least|sells the least|sold the least";
export const FILLERS =
  "so far|to date|ever|in the world|in the dataset|in the data set|according to the database|are there|there are|is there|do we have|we have|do you have|exist|exists|in total|in the database|in this database|in the table|in the data|on record|in all|altogether|overall|respectively|are recorded|are listed|are available|available|recorded|listed|listed in the database|are in the database|please|from the database|too|,";
