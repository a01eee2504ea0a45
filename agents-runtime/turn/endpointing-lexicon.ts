import type { Language } from '../../media/languages.js';

/** What a caller may be asked for that is said in pieces. */
export type EntityKind = 'digits' | 'email' | 'birth' | 'spelling' | 'date';

/**
 * The words of a language that tell whether a turn goes on. Lists are words with spaces between;
 * an underscore joins a phrase, a star stands for any letters.
 */
export interface EndpointingLexicon {
  /** Few end with these: conjunctions, prepositions, articles, verbs that want an object, doubts. */
  readonly hanging: string;
  /** Phrases that end with such a word and are whole. */
  readonly whole: string;
  /** Sounds of somebody who thinks. */
  readonly fillers: string;
  /** Numbers as words: the parts in which long ones are read out. */
  readonly numbers: string;
  /** Days of a date, where they are said otherwise. */
  readonly ordinals: string;
  /** In a question: it asks for such a thing. */
  readonly asks: Readonly<Record<EntityKind, string>>;
  /** The signs of an e-mail address as they are said. */
  readonly at: string;
  readonly dot: string;
}

/** One entry a language of the contract, as each may get a recogniser. */
export const ENDPOINTING_LEXICON: Readonly<Record<Language, EndpointingLexicon>> = {
  en: {
    hanging:
      "and or but because if when while although unless which whose than with without for from to of at into between the a an my your our their is are was were want i we they can_you_tell_me could_you_tell_me i_mean such_as not_sure i_don't_know i_don’t_know",
    whole:
      'it_is there_is that_is this_is he_is she_is what_it_is they_are we_are you_are it_was they_were that_was so_do_i should_i can_i may_i can_we',
    fillers: 'um uh er erm hmm hm let_me_think let_me_see you_know',
    numbers:
      'zero oh nought one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety double triple',
    ordinals:
      'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth *teenth twentieth thirtieth',
    asks: {
      digits: 'number* phone* telephone code pin digits zip postcode iban account_number',
      email: 'email* e-mail* mail_address',
      birth: 'born birth birthday birthdate',
      spelling: 'spell* letter_by_letter',
      date: 'date what_day which_day',
    },
    at: 'at',
    dot: 'dot',
  },
  ca: {
    hanging:
      'i o però perquè si quan mentre que de del a al amb sense per en des entre el la els les un una uns unes l’ meu meva és són era vull necessito doncs com no_ho_sé no_estic_segur no_estic_segura',
    whole: 'sí_és així_és',
    fillers: 'eh ehm mmm a_veure vull_dir doncs_bé',
    numbers:
      'zero u un dos tres quatre cinc sis set vuit nou deu onze dotze tretze catorze quinze setze disset divuit dinou vint trenta quaranta cinquanta seixanta setanta vuitanta noranta',
    ordinals: 'primer',
    asks: {
      digits: 'número* telèfon codi* pin xifres postal iban compte',
      email: 'correu* email* e-mail*',
      birth: 'naixement néixer nascut nascuda aniversari',
      spelling: 'lletreja* lletra_per_lletra s’escriu',
      date: 'data quin_dia',
    },
    at: 'arrova',
    dot: 'punt',
  },
  sv: {
    hanging:
      'och eller men eftersom att om när medan som än med utan för från till av på i vid mellan den det en ett min mitt mina din er vår är var vill behöver jag vi de så inte_säker vet_inte',
    whole: 'det_är så_är_det jag_vill vad_är_det har_jag kan_jag kan_vi',
    fillers: 'eh öh hm mm alltså vänta låt_mig_tänka liksom',
    numbers:
      'noll ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton nitton tjugo trettio fyrtio femtio sextio sjuttio åttio nittio',
    ordinals:
      'första andra tredje fjärde femte sjätte sjunde åttonde nionde tionde elfte tolfte *tonde tjugonde trettionde *första *andra *tredje *fjärde *femte',
    asks: {
      digits: '*nummer* *numret kod* pin* siffr*',
      email: 'e-post* epost* mejl* mail* email*',
      birth: 'född* födelse*',
      spelling: 'stava* bokstav*',
      date: 'datum* vilken_dag',
    },
    at: 'snabel-a at',
    dot: 'punkt',
  },
  es: {
    hanging:
      'y e o u pero porque si cuando mientras aunque que de del a al con sin por para en desde hasta entre el la los las un una unos unas mi mis su sus es son era quiero necesito como pues no_sé no_estoy_seguro no_estoy_segura',
    whole: 'así_es eso_es sí_es',
    fillers: 'eh em mmm a_ver o_sea déjame_pensar',
    numbers:
      'cero uno un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa doble',
    ordinals: 'primero',
    asks: {
      digits: 'número* teléfono* código* pin dígitos cifras iban cuenta',
      email: 'correo* email* e-mail* mail',
      birth: 'nacimiento nació naciste nacido nacida cumpleaños',
      spelling: 'deletre* letra_por_letra se_escribe',
      date: 'fecha* qué_día',
    },
    at: 'arroba',
    dot: 'punto',
  },
  fr: {
    hanging:
      'et ou mais parce_que puisque car si quand lorsque que qui dont de du des d’ à au aux avec sans pour par en dans chez vers entre le la les l’ un une mon ma mes votre vos notre est sont était veux voudrais donc comme je nous sais_pas pas_sûr pas_sûre',
    whole: 'c’est_ça puis-je peut-on comme_ça',
    fillers: 'euh heu hum ben bah attendez voyons c’est-à-dire',
    numbers:
      'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt vingts trente quarante cinquante soixante septante huitante nonante double',
    ordinals: 'premier',
    asks: {
      digits: 'numéro* téléphone code* pin chiffres iban compte',
      email: 'courriel* email* e-mail* mail* adresse_électronique',
      birth: 'naissance né née naquis anniversaire',
      spelling: "épel* l’épel* lettre_par_lettre s’écrit s'écrit",
      date: 'date* quel_jour',
    },
    at: 'arobase arobas',
    dot: 'point',
  },
  de: {
    hanging:
      'und oder aber weil denn dass ob wenn als während obwohl mit ohne für von vom zu zum zur bei beim nach aus in im am auf über zwischen der die das den dem des ein eine einen einem einer mein meine meinen ihr ihre unser ist sind war möchte will brauche ich wir sowie nicht_sicher weiß_nicht',
    whole: 'das_ist_es so_ist_das ja_das_ist_es kann_ich darf_ich können_wir was_ist_das bin_ich',
    fillers: 'äh ähm öh hm also moment mal_sehen sozusagen',
    numbers:
      'null eins ein zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig *undzwanzig *unddreißig *undvierzig *undfünfzig *undsechzig *undsiebzig *undachtzig *undneunzig doppel*',
    ordinals:
      'ersten erster zweiten zweiter dritten dritter vierten vierter fünften fünfter sechsten sechster siebten siebter achten achter neunten neunter zehnten zehnter elften elfter zwölften zwölfter *zehnten *zehnter *zigsten *zigster *ßigsten *ßigster',
    asks: {
      digits: '*nummer* *kode *code pin *ziffern *leitzahl iban plz',
      email: 'e-mail* email* *mailadresse mail',
      birth: 'geboren* geburts* geburtsdatum',
      spelling: 'buchstab*',
      date: '*datum welcher_tag welchem_tag welchen_tag',
    },
    at: 'at ät klammeraffe',
    dot: 'punkt',
  },
  it: {
    hanging:
      'e ed o oppure ma perché se quando mentre anche che di del della dei a al alla con senza per da dal in nel tra fra il lo la i gli le l’ un uno una mio mia miei suo è sono era voglio vorrei quindi come non_so non_sono_sicuro non_sono_sicura',
    whole: 'così_è sì_è che_cos’è cos’è dov’è com’è',
    fillers: 'ehm eh uhm mmm allora dunque cioè vediamo aspetti',
    numbers:
      'zero uno un due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti trenta quaranta cinquanta sessanta settanta ottanta novanta doppia doppio',
    ordinals: 'primo',
    asks: {
      digits: 'numero* telefono* cellulare codice* pin cifre iban conto',
      email: 'email* e-mail* mail posta_elettronica',
      birth: 'nascita nato nata compleanno',
      spelling: 'spell* compit* lettera_per_lettera si_scrive',
      date: 'data che_giorno quale_giorno',
    },
    at: 'chiocciola',
    dot: 'punto',
  },
  pt: {
    hanging:
      'e ou mas porque se quando enquanto embora que de do da dos das a ao à com sem por para pra em no na desde até entre o os as um uma uns umas meu minha seu sua é são era quero preciso como pois não_sei não_tenho_certeza',
    whole: 'é_isso isso_é pois_é sim_é',
    fillers: 'eh hum ãh hã quer_dizer deixa_ver',
    numbers:
      'zero um uma dois duas três quatro cinco seis meia sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    ordinals: 'primeiro',
    asks: {
      digits: 'número* telefone* telemóvel celular código* pin dígitos cpf nif cep iban conta',
      email: 'email* e-mail* correio_eletrônico correio_eletrónico',
      birth: 'nascimento nasceu nasceste aniversário',
      spelling: 'soletr* letra_por_letra se_escreve',
      date: 'data* que_dia qual_dia',
    },
    at: 'arroba',
    dot: 'ponto',
  },
  pl: {
    hanging:
      'i a oraz lub albo ale bo ponieważ że żeby jeśli jeżeli kiedy gdy chociaż który która które z ze bez dla od do na w we po przy o między mój moja moje mam jest są był była chcę chciałbym chciałabym potrzebuję więc jak nie_wiem nie_jestem_pewien nie_jestem_pewna',
    whole: 'tak_jest to_jest_to',
    fillers: 'eee yyy hmm no_więc znaczy zaraz chwileczkę',
    numbers:
      'zero jeden jedna dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt osiemdziesiąt dziewięćdziesiąt',
    ordinals:
      'pierwszego drugiego trzeciego czwartego piątego szóstego siódmego ósmego dziewiątego dziesiątego *nastego *dziestego pierwszy drugi trzeci czwarty piąty szósty siódmy ósmy dziewiąty dziesiąty *nasty *dziesty',
    asks: {
      digits: 'numer* telefon* kod* pin cyfr* pesel nip iban kont*',
      email: 'email* e-mail* mail* adres_mailowy',
      birth: 'urodzenia urodzony urodzona urodził* urodzin*',
      spelling: 'przeliter* literow* litera_po_literze',
      date: 'dat* którego_dnia jaki_dzień',
    },
    at: 'małpa',
    dot: 'kropka',
  },
  ru: {
    hanging:
      'и или но а потому_что так_как что чтобы если когда пока хотя который которая которое с со без для от из до на в во по при о об между мой моя моё мне хочу хотел хотела нужен нужна как это я мы не_знаю не_уверен не_уверена',
    whole: 'вот_это что_это да_это могу_я как_это',
    fillers: 'э эм ээ ммм ну значит сейчас подождите как_бы',
    numbers:
      'ноль один одна два две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот',
    ordinals:
      'первого второго третьего четвёртого четвертого пятого шестого седьмого восьмого девятого десятого *надцатого двадцатого тридцатого первое второе третье четвёртое четвертое пятое шестое седьмое восьмое девятое десятое *надцатое двадцатое тридцатое',
    asks: {
      digits: 'номер* телефон* код* пин цифр* индекс* счёт* счет*',
      email: 'почт* email* e-mail* имейл* мейл*',
      birth: 'рождения родились родился родилась',
      spelling: 'букв* продикт* пишется',
      date: 'дат* какого_числа какой_день',
    },
    at: 'собака',
    dot: 'точка',
  },
  nl: {
    hanging:
      'en of maar omdat want dat als wanneer terwijl hoewel die met zonder voor van naar bij uit in op aan over tussen tot de het een mijn uw jouw onze is zijn was wil nodig_heb ik we wij dus zoals niet_zeker weet_niet weet_het_niet',
    whole: 'dat_is_het zo_is_het kan_ik mag_ik kunnen_we wat_is_het wat_is_dat hoe_laat_is_het',
    fillers: 'eh uh ehm uhm hm nou even_denken zeg_maar wacht',
    numbers:
      'nul één een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig dertig veertig vijftig zestig zeventig tachtig negentig *entwintig *endertig *enveertig *envijftig *enzestig *enzeventig *entachtig *ennegentig dubbel',
    ordinals:
      'eerste tweede derde vierde vijfde zesde zevende achtste negende tiende elfde twaalfde *tiende *tigste',
    asks: {
      digits: '*nummer* *code* pin* cijfers iban rekening*',
      email: 'e-mail* email* *mailadres mail',
      birth: 'geboren geboorte* verjaardag',
      spelling: 'spel* letter_voor_letter',
      date: '*datum welke_dag',
    },
    at: 'apenstaartje at',
    dot: 'punt',
  },
};
