import type { Language } from '../languages.js';

/** What a full stop means in one language. */
export interface FullStops {
  /** Words (in lower case, without their last stop) behind which a sentence never ends. */
  readonly inside: ReadonlySet<string>;
  /** Words that are abbreviations before a number: "No. 5". */
  readonly beforeNumber: ReadonlySet<string>;
  /** Abbreviations that may end a sentence: what follows decides. */
  readonly either: ReadonlySet<string>;
  /** "am 3. Mai": a stop behind a short number makes an ordinal. */
  readonly marksOrdinals: boolean;
}

const INSIDE: Readonly<Record<Language, string>> = {
  en: 'mr mrs ms dr prof st mt ft gen gov sen rep capt cpt lt col sgt cmdr rev hon pres supt cpl maj adm fr msgr e.g i.e vs cf viz approx ca ave blvd messrs jan feb mar apr jun jul aug sept sep oct nov dec ext tel',
  ca: 'sr sra srta dr dra prof av c pl núm p.ex ex fig pàg tel st sta mons hble excm ntra',
  sv: 't.ex bl.a dvs s.k fr.o.m t.o.m m.a.o kl nr tel ca resp prof dr st fig jfr o.d f.d p.g.a i.st',
  es: 'sr sra srta d dña dr dra prof av avda c ctra pl núm nro pág p.ej ej fig tel sto sta gral cap ing lic excmo ilmo vd vds ud uds ee.uu',
  fr: 'm mm mme mmes mlle dr pr me st ste av bd boul p.ex ex fig n° tél cf env',
  de: 'dr prof hr fr frl st str nr tel z.b z.bsp d.h u.a u.u i.d.r o.ä s.o s.u v.a bzw ca vgl abs ggf evtl inkl exkl zzgl mio mrd sog geb gest jan feb mär apr jun jul aug sep sept okt nov dez ing dipl hl',
  it: 'sig sig.ra sig.na sigg dott dott.ssa dr prof prof.ssa avv ing arch geom rag on p.es es fig n nr tel pag s ss v via p.za cap art',
  pt: 'sr sra srta dr dra prof profa eng arq av r p.ex ex fig nº núm tel pág exmo exma d st sto sta art',
  pl: 'p prof dr mgr inż hab św ul al pl nr tel tys mln mld np tzn tj m.in ok godz gen płk kpt ks os por rys zob ww r',
  ru: 'д ул пр просп пер стр кв корп проф акад т.е т.к т.н т.о напр см тел тыс млн млрд г-н г-жа св гр',
  nl: 'dhr mevr mw dr drs ir ing prof st mr ds bijv bv d.w.z nl o.a m.b.t i.p.v t.a.v z.g.a.n nr tel ca fig blz resp incl excl max min jhr',
};

const BEFORE_NUMBER: Partial<Readonly<Record<Language, string>>> = {
  en: 'no nos fig vol p pp ch art',
  fr: 'no nos vol art chap fig',
  de: 'art bd kap',
  it: 'vol',
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
  ru: 'т.д т.п др г гг руб коп',
  nl: 'enz etc e.d',
};

const ORDINAL_STOPS: ReadonlySet<string> = new Set(['de', 'pl']);

/** The language's rules; of a language without its own, those that are common to all. */
export function fullStopsOf(language: string): FullStops {
  const known = language in INSIDE ? (language as Language) : undefined;
  return {
    inside: new Set(known ? INSIDE[known].split(' ') : []),
    beforeNumber: new Set(known ? BEFORE_NUMBER[known]?.split(' ') : []),
    either: new Set(known ? EITHER[known].split(' ') : ['etc']),
    marksOrdinals: ORDINAL_STOPS.has(language),
  };
}
