import { readFileSync } from 'node:fs';

/** A question and the only passage that answers it. */
export interface QuestionPair {
  readonly question: string;
  readonly passage: string;
}

/** Written for this test: a passage uses other words than its question. */
export function questionPairs(): readonly QuestionPair[] {
  return readFileSync('test/fixtures/knowledge/pairs.txt', 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [question, passage] = line.split(' | ');
      return { question: question!, passage: passage! };
    });
}

const PLACES =
  'Alderton Birchfield Copperhill Dunmore Eastbrook Fairmead Greystone Harwell Ivybridge Juniper Kingsley Lowmoor Millbrook Newlands Oakham Priory Quarry Redfern Stonegate Thornbury Underhill Vernon Westcote Yarrow Ashdown Brambley Castleton Deepdale Elmswood Foxley Goldcrest Highfield Islay Jarrow Kelso Linwood Moorside Netherby Overton Pemberley Queensway Rosedale Saltburn Tamworth Upland Varley Whitby Yewtree Amberley Barlow'.split(
    ' ',
  );

/** The topics of the questions, at other places and with other details. */
const TEMPLATES = [
  'The swimming pool of {p} opens at {h} in the morning and closes at {l} in the evening.',
  'The {p} clinic has {n} operating rooms and a garden for its patients.',
  'Dogs are welcome in the {p} cinema on Mondays if they stay below the seat.',
  'The last bus from {p} to the station leaves at {l} at night, on Sundays an hour earlier.',
  'The painting course in {p} is taught by two artists and has {n} places.',
  'The heating of the {p} school was changed from oil to wood in 20{n}0.',
  'To reset the {p} alarm clock, press the small button on its back for {n} seconds.',
  'The playground of {p} got a new swing and a slide from its {n} sponsors.',
  'The {p} supermarket has an electric delivery van with the number {n}.',
  'The {p} ferry was painted white and carries {n} lorries at a time.',
  'The bakery of {p} won a prize for its dark bread with {n} kinds of seeds.',
  'The vet in {p} moved to the mill and looks after horses on {d}s.',
  'A yellow light on the {p} printer says that its ink is low; order cartridge {n}.',
  'Books from the {p} library may be borrowed for {n} weeks and renewed once.',
  'Breakfast at the {p} hotel costs {n} euros and is served in the winter garden.',
  'The lighthouse of {p} was built in 18{n}0 and may be climbed on {d}s.',
  'The town hall of {p} has a stage with a curtain that {n} women sewed.',
  'The {p} farm shop sells eggs, honey and {n} kinds of apples.',
  'The rowing boats of {p} are named after {n} daughters of the builder.',
  'In {p} an olive tree of {n}00 years stands in front of the church.',
  'The trains to {p} leave from track {n} and are painted green.',
  'The dentist of {p} is closed on {d}s and speaks {n} languages.',
  'Check-out at the {p} guest house is at {h}, luggage may be left in the hall.',
  'The {p} toaster has a guarantee of {n} years when it was bought from a dealer.',
  'The bridge club of {p} meets each {d} at {l}; guests bring a partner.',
  'The airport of {p} has a runway of grass and {n} hangars.',
  'The hairdresser of {p} has {n} chairs and a parrot that whistles.',
  'The tennis courts of {p} were laid with red clay by {n} volunteers.',
  'The museum in {p} shows {n} ships in bottles and an anchor.',
  'The paper mill of {p} makes {n} tons of cardboard each {d}.',
  'The post office of {p} was robbed of {n} parcels one {d}.',
  'The climbing hall in {p} is {n}0 feet high and lit by the sun.',
  'The canteen of {p} buys its coffee from {n} farms in the hills.',
  'The choir of {p} sang in {n} towns of the south last {d}.',
  'The employees of {p} planted {n} trees on their outing.',
  'The vineyard in {p} invites to a tasting of {n} wines every {d}.',
  'The mower works of {p} build {n}0 machines each {d}.',
  'The observatory of {p} is open on clear nights until {l}.',
  'The gym in {p} bought {n} rowing machines and a drum.',
  'The steam train to {p} runs on {d}s in summer and has a dining car.',
  'The chapel in {p} was painted by pupils of a master from the south in 17{n}0.',
  'The savings bank of {p} was founded by {n} merchants on a {d}.',
];

const HOURS = ['six', 'seven', 'half past seven', 'eight', 'nine', 'half past nine', 'ten'];
const LATE = ['eight', 'nine', 'half past nine', 'ten', 'eleven', 'midnight', 'half past ten'];
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Passages that answer none of the questions. */
export function distractors(): readonly string[] {
  return PLACES.flatMap((place, p) =>
    TEMPLATES.map((template, t) => {
      const pick = (list: readonly string[]) => list[(p * 5 + t) % list.length]!;
      return template
        .replaceAll('{p}', place)
        .replaceAll('{h}', pick(HOURS))
        .replaceAll('{l}', pick(LATE))
        .replaceAll('{d}', pick(DAYS))
        .replaceAll('{n}', String(2 + ((p * 3 + t) % 7)));
    }),
  );
}
