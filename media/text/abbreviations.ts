import type { Language } from '../languages.js';

/** What a full stop means in one language. */
export interface Abbreviations {
  /** Words (in lower case, without their last stop) behind which a sentence never ends. */
  readonly inside: ReadonlySet<string>;
  /** Words that are abbreviations before a number: "No. 5". */
  readonly beforeNumber: ReadonlySet<string>;
  /** Abbreviations that may end a sentence: what follows decides. */
  readonly either: ReadonlySet<string>;
  /** Words that are abbreviations unless a number stands before them: "г. Москва", "1945 г." */
  readonly unnumbered: ReadonlySet<string>;
  /** Ends of such words in compounds: "Hauptstr." */
  readonly insideEndings: readonly string[];
  /** Abbreviations of several parts: what is written so far → the parts that may follow. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
  /**
   * Where a stop behind a short number makes an ordinal: nowhere, before a word that begins small
   * ("3. maja"), or behind what stands before ordinals ("am 3. Mai").
   */
  readonly ordinals: 'none' | 'before-small' | 'behind-article';
}

const INSIDE: Readonly<Record<Language, string>> = {
  en: 'mr mrs ms dr prof st mt ft gen gov sen rep capt cpt lt col sgt cmdr rev hon pres supt cpl maj adm fr msgr e.g i.e vs cf viz approx ca ave blvd messrs jan feb mar apr jun jul aug sept sep oct nov dec ext tel',
  ca: 'sr sra srta dr dra prof av c pl núm p.ex ex fig pàg tel st sta mons hble excm ntra',
  sv: 't.ex bl.a dvs s.k fr.o.m t.o.m m.a.o kl nr tel ca resp inkl exkl prof dr st fig jfr o.d f.d p.g.a i.st',
  es: 'sr sra srta d dña dr dra prof av avda c ctra pl núm nro pág p.ej ej fig tel sto sta gral cap ing lic excmo ilmo vd vds ud uds ee.uu vol tomo art aprox dpto',
  fr: 'm mm mme mmes mlle dr pr me st ste av bd boul p.ex ex fig n° tél cf env',
  de: 'dr prof hr fr frl st str nr tel z.b z.bsp d.h u.a u.u i.d.r o.ä s.o s.u v.a bzw ca vgl abs ggf evtl inkl exkl zzgl mio mrd sog geb gest mwst abb kap jan feb mär apr jun jul aug sep sept okt nov dez ing dipl hl',
  it: 'sig sig.ra sig.na sigg dott dott.ssa dr prof prof.ssa avv ing arch geom rag on p.es es fig n nr tel pag s ss v via p.za cap art cfr vol nn pp',
  pt: 'sr sra srta dr dra prof profa eng arq av r p.ex ex fig nº núm tel pág exmo exma d st sto sta art cf vol dpto cap',
  pl: 'p prof dr mgr inż hab św ul al pl nr tel tys mln mld np tzn tj m.in ok godz gen płk kpt ks os por rys zob ww r',
  ru: 'д ул пр просп пер стр кв корп проф акад т.е т.к т.н т.о напр см тел тыс млн млрд г-н г-жа св гр рис напр корп доб',
  nl: 'dhr mevr mw dr drs ir ing prof st mr ds bijv bv d.w.z nl o.a m.b.t i.p.v t.a.v z.g.a.n nr tel ca fig blz drs mej resp incl excl max min jhr z.s.m a.u.b i.v.m t.o.v',
};

const BEFORE_NUMBER: Partial<Readonly<Record<Language, string>>> = {
  en: 'no nos fig vol p pp ch art',
  fr: 'no nos vol art chap fig',
  de: 'art bd kap',
  it: 'vol',
  pt: 'n p pp',
  es: 'n p pp',
  ca: 'n p pp',
  nl: 'p',
  sv: 's',
  ru: 'рис',
};

const EITHER: Readonly<Record<Language, string>> = {
  en: 'etc inc ltd co corp bros jr sr a.m p.m am pm dept est ed eds min max oz lb ft al u.s u.k d.c ph.d b.c a.d',
  ca: 'etc s.a s.l',
  sv: 'etc osv m.m m.fl',
  es: 'etc s.a s.l a.m p.m cía',
  fr: 'etc s.a',
  de: 'max min usw etc u.s.w u.v.m uvm',
  it: 'ecc s.p.a s.r.l',
  pt: 'etc ltda s.a',
  pl: 'itd itp',
  ru: 'т.д т.п др гг руб коп',
  nl: 'enz etc e.d',
};

const INSIDE_ENDINGS: Partial<Readonly<Record<Language, readonly string[]>>> = {
  de: ['str', 'nr'],
};

const UNNUMBERED: Partial<Readonly<Record<Language, string>>> = { ru: 'г' };

const ORDINALS: ReadonlyMap<string, Abbreviations['ordinals']> = new Map([
  ['de', 'behind-article'],
  ['pl', 'before-small'],
]);

/** The language's rules; of a language without its own, those that are common to all. */
export function abbreviationsOf(language: string): Abbreviations {
  const known = language in INSIDE ? (language as Language) : undefined;
  const inside = known ? INSIDE[known].split(' ') : [];
  const either = known ? EITHER[known].split(' ') : ['etc'];
  return {
    inside: new Set(inside),
    beforeNumber: new Set(known ? BEFORE_NUMBER[known]?.split(' ') : []),
    either: new Set(either),
    unnumbered: new Set(known ? UNNUMBERED[known]?.split(' ') : []),
    insideEndings: (known && INSIDE_ENDINGS[known]) ?? [],
    parts: partsOf([...inside, ...either]),
    ordinals: ORDINALS.get(language) ?? 'none',
  };
}

/** "z" → "b", "i.d" → "r". */
function partsOf(abbreviations: readonly string[]): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  for (const abbreviation of abbreviations) {
    const pieces = abbreviation.split('.');
    for (let i = 1; i < pieces.length; i++) {
      const before = pieces.slice(0, i).join('.');
      parts.set(before, [...(parts.get(before) ?? []), pieces[i]!]);
    }
  }
  return parts;
}
