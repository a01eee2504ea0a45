import { z } from 'zod';

const Words = z.record(z.string(), z.string());
const OneAndMany = z.record(z.string(), z.tuple([z.string(), z.string()]));
export const NormaliserTables = z.object({
  months: Words,
  titles: Words,
  abbreviations: Words,
  units: OneAndMany,
  symbols: Words,
  currency: OneAndMany,
  roman_cardinal: z.array(z.string()),
  roman_ordinal: z.array(z.string()),
});

/** Word lists of the normaliser: months, titles, abbreviations, units, symbols, currencies. */
export type NormaliserTables = z.infer<typeof NormaliserTables>;

function pairs(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines.split('|').map((line) => {
      const [short = '', word = ''] = line.split('=');
      return [short, word];
    }),
  );
}

function oneAndMany(lines: string): Record<string, [string, string]> {
  return Object.fromEntries(
    Object.entries(pairs(lines)).map(([sign, names]) => {
      const [one = '', many = `${one}s`] = names.split('/');
      return [sign, [one, many]];
    }),
  );
}

/**
 * The word lists of the English normaliser for engines that come without the neural voice's own
 * (Source: Merriam-Webster, abbreviations; CLDR, units and currencies of en; ISO 4217).
 */
export const DEFAULT_TABLES: NormaliserTables = {
  months: pairs(
    'jan=January|feb=February|mar=March|apr=April|may=May|jun=June|jul=July|aug=August|sep=September|oct=October|nov=November|dec=December',
  ),
  titles: pairs(
    'Mr=mister|Mrs=missus|Ms=miz|Dr=doctor|Prof=professor|St=saint|Mt=mount|Ft=fort|Gen=general|Gov=governor|Sen=senator|Rep=representative|Capt=captain|Lt=lieutenant|Col=colonel|Sgt=sergeant|Rev=reverend|Hon=honorable|Pres=president|Maj=major|Adm=admiral',
  ),
  abbreviations: pairs(
    'Mr.=mister|Mrs.=missus|Ms.=miz|Dr.=doctor|Jr.=junior|Sr.=senior|St.=street|Mt.=mount|Ave.=avenue|Blvd.=boulevard|Rd.=road|Ln.=lane|Hwy.=highway|Pkwy.=parkway|Ste.=suite|Apt.=apartment|Bldg.=building|Ltd.=limited|Inc.=incorporated|Corp.=corporation|Co.=company|Bros.=brothers|Dept.=department|Univ.=university|approx.=approximately|est.=established|vs.=versus|vs=versus|vol.=volume|fig.=figure|ch.=chapter|pp.=pages|ed.=edition|no.=number|nos.=numbers|Prof.=professor|Gen.=general|Gov.=governor|Sen.=senator|Capt.=captain|Lt.=lieutenant|Sgt.=sergeant|Rev.=reverend|cf.=compare|etc.=et cetera|Jan.=January|Feb.=February|Mar.=March|Apr.=April|Jun.=June|Jul.=July|Aug.=August|Sep.=September|Sept.=September|Oct.=October|Nov.=November|Dec.=December|Mon.=Monday|Tue.=Tuesday|Tues.=Tuesday|Wed.=Wednesday|Thu.=Thursday|Thurs.=Thursday|Fri.=Friday|Sat.=Saturday|Sun.=Sunday|w/=with|w/o=without',
  ),
  units: oneAndMany(
    'km=kilometer|cm=centimeter|mm=millimeter|kg=kilogram|mg=milligram|lb=pound|lbs=pound/pounds|oz=ounce|ft=foot/feet|mi=mile|ml=milliliter|kph=kilometer per hour/kilometers per hour|mph=mile per hour/miles per hour|km/h=kilometer per hour/kilometers per hour|Hz=hertz/hertz|kHz=kilohertz/kilohertz|MHz=megahertz/megahertz|GHz=gigahertz/gigahertz|kB=kilobyte|KB=kilobyte|MB=megabyte|GB=gigabyte|TB=terabyte|Mbps=megabit per second/megabits per second|Gbps=gigabit per second/gigabits per second|hr=hour|hrs=hour/hours|min=minute|mins=minute/minutes|sec=second|secs=second/seconds|ms=millisecond|sq ft=square foot/square feet|yd=yard|kWh=kilowatt hour|kW=kilowatt|MW=megawatt|fps=frame per second/frames per second',
  ),
  symbols: {
    '=': 'equals',
    '<': 'less than',
    '>': 'greater than',
    '~': 'about',
    '°': 'degrees',
    '¢': 'cents',
    '§': 'section',
    '±': 'plus or minus',
    '×': 'times',
    '÷': 'divided by',
    '→': 'to',
    '½': 'one half',
    '¼': 'one quarter',
    '¾': 'three quarters',
    '²': 'squared',
    '³': 'cubed',
    '#': 'hashtag',
    '&': 'and',
    '@': 'at',
  },
  currency: oneAndMany(
    '$=dollar|£=pound|€=euro|¢=cent|¥=yen/yen|₹=rupee|₩=won/won|Rs=rupee|USD=dollar|EUR=euro|GBP=pound',
  ),
  roman_cardinal:
    'Chapter chapter Part part Act Scene Section section Volume volume Book book Phase Article World_War Type Level Class Grade Episode Round'
      .split(' ')
      .map((name) => name.replace('_', ' ')),
  roman_ordinal:
    'Pope King Queen Henry Louis Edward George William Charles James Richard Elizabeth Napoleon Pius Benedict Leo Frederick Philip Alexander Nicholas Peter Catherine Ivan'.split(
      ' ',
    ),
};
