import { SEED_AGENT } from '../../../../src/features/agents/seed-agent.js';

export const BOOKSHOP = SEED_AGENT.config.prompt!;

export const CLINIC = `You are Nora, the assistant of Birchwood Dental Clinic. Be calm and brief. Never give medical advice.

# Opening hours
- The clinic is open Monday to Thursday from 8 a.m. to 5 p.m.
- On Fridays we close at 1 p.m. We are closed at weekends.

# Visits
- A first check-up takes forty minutes and costs 90 dollars.
- A cleaning costs 120 dollars and is covered by most insurance plans.
- Please arrive ten minutes early and bring your insurance card.
- If you cannot come, cancel at least 24 hours ahead; otherwise we charge a fee of 40 dollars.
- Children under six are treated by Dr. Amira Haddad.

# Emergencies
- Outside of our hours, the emergency dentist can be reached at the city hospital.

# Place
- The clinic is at 48 Mill Road, on the second floor. There is a lift.
- Patients park free of charge in the garage under the building.

# Style
- Speak slowly. Short sentences are best.
- Callers should feel welcome.`;

/** Documents of a knowledge base: titles, lists, questions with answers, a table. */
export const HOTEL: readonly string[] = [
  `# Arrival and departure
Check-in begins at three in the afternoon. If you come earlier, we keep your luggage at the front desk free of charge.

Check-out is until eleven. A late check-out until two in the afternoon costs thirty euros.

## Getting here
The Hotel Lindenhof is at 7 Station Square, opposite the main railway station. From the airport, take the S8 train; it takes twenty-five minutes.

Our underground garage costs eighteen euros a night. It has four charging points for electric cars.`,
  `Q: Is breakfast included?
A: Breakfast is not included. The buffet costs sixteen euros a person and is served from half past six until ten.

Q: Are pets allowed?
A: Dogs may stay for twelve euros a night. Cats stay free.

Q: Do you have Wi-Fi?

A: Wireless internet is free in the whole house. The password is on your key card.

Q: Can I cancel my booking?
A: You can cancel without cost until six in the evening on the day before arrival. After that we charge the first night.`,
  `| Room | Price a night |
| --- | --- |
| Single room | 89 euros |
| Double room | 129 euros |
| Family suite | 199 euros |

**Wellness**
- The sauna is open daily from four in the afternoon until ten in the evening.
- The gym on the fifth floor is open around the clock.
- Massages are booked at the front desk a day ahead.

**Meeting rooms**
We have two meeting rooms for up to twenty people each. Projector and screen are included.`,
];

/** A question as spoken or as transcribed, and a pattern of its answer. */
export type QuestionCase = readonly [string, RegExp];

export const BOOKSHOP_QUESTIONS: readonly QuestionCase[] = [
  ['When are you open on Sundays?', /eleven until four/],
  ['What time do you close in the evening?', /seven in the evening/],
  ['Where is the shop?', /12 Harbour Lane/],
  ['Where are you located?', /12 Harbour Lane/],
  ['wear is the shop', /12 Harbour Lane/],
  ['so um where can i find you', /12 Harbour Lane/],
  ['How do I get there by tram?', /tram line four/],
  ['Can I park near you?', /Parking is free|car park/],
  ['where can i park my car', /car park/],
  ['How much is a hardcover?', /twenty and thirty-five/],
  ['how much is a hard cover', /twenty and thirty-five/],
  ['What do used books cost?', /four dollars each/],
  ['How much is delivery in town?', /three dollars and takes one day/],
  ['how long does delivery to another town take', /three to five days/],
  ['Can I return a book I do not like?', /thirty days/],
  ['i bought the wrong book can i get my money back', /thirty days|refund the money/],
  ['Do you buy old books?', /Wednesdays/],
  ['Can I pay by card?', /by card/],
  ['do you take credit cards', /by card/],
  ['Do you have gift vouchers?', /Gift cards/],
  ['What does a coffee cost?', /three dollars and fifty/],
  ['can i get something to drink', /coffee/],
  ['Is there something for kids?', /story time/],
  ['May I bring my dog?', /dogs on a lead/],
  ['can i come in with a wheelchair', /step-free/],
  ['Who owns the shop?', /Maya Lindqvist/],
  ['are you open at christmas', /closed on New Year's Day and on Christmas/],
  ['when does the book club meet', /first Thursday/],
  ['you do not have the book i want can you get it for me', /order it/],
];

export const CLINIC_QUESTIONS: readonly QuestionCase[] = [
  ['What are your opening hours?', /Monday to Thursday|Fridays we close/],
  ['How late are you open on Friday?', /close at 1 p\.m/],
  ['are you open on saturday', /closed at weekends/],
  ['How much is a check-up?', /90 dollars/],
  ['how much is a checkup', /90 dollars/],
  ['how long does the first visit take', /forty minutes/],
  ['What does a teeth cleaning cost?', /120 dollars/],
  ['does my insurance pay for a cleaning', /most insurance plans/],
  ['What should I bring with me?', /insurance card/],
  ['I cannot make it to my appointment, can I cancel?', /24 hours/],
  ['what happens if i miss my appointment', /40 dollars/],
  ['Who treats small children?', /Amira Haddad/],
  ['my son is four which doctor will see him', /Amira Haddad/],
  ['What do I do in an emergency at night?', /city hospital/],
  ['Is there parking?', /garage/],
  ['What is your address?', /48 Mill Road/],
  ['where is the clinic', /48 Mill Road/],
  ['is there an elevator', /lift/],
];

export const HOTEL_QUESTIONS: readonly QuestionCase[] = [
  ['When can I check in?', /three in the afternoon/],
  ['what time do i have to leave the room', /until eleven/],
  ['Can I leave my bags with you?', /luggage/],
  ['Where is the hotel?', /7 Station Square/],
  ['how do i get to you from the airport', /S8/],
  ['how much is the garage', /eighteen euros/],
  ['Can I charge my electric car?', /charging points/],
  ['Is breakfast included?', /not included/],
  ['how much does breakfast cost', /sixteen euros/],
  ['when is breakfast served', /half past six/],
  ['Can I bring my dog?', /twelve euros/],
  ['do you have wifi', /free in the whole house/],
  ['what is the internet password', /key card/],
  ['How can I cancel my reservation?', /six in the evening/],
  ['how much is a double room', /129 euros/],
  ['What does a room for a family cost?', /199 euros/],
  ['when is the sauna open', /four in the afternoon/],
  ['Is there a fitness room?', /gym/],
  ['Do you have a room for a meeting of fifteen people?', /two meeting rooms/],
  ['can i get a massage', /Massages/],
];

/** Questions that none of the texts answers, on distant and close topics. */
export const OFF_TOPIC: readonly string[] = [
  'What is the capital of Mongolia?',
  'Who won the football match yesterday?',
  'Can you help me with my tax return?',
  'How do I fix a flat tyre?',
  'What will the weather be like tomorrow?',
  'Which phone should I buy?',
  'Tell me a joke about elephants.',
  'How tall is the Eiffel Tower?',
  'What is the square root of eighty one?',
  'Can you recommend a good Italian restaurant?',
  'who is the president of france',
  'how do you cook rice',
  'translate good morning into spanish',
  'what is the meaning of life',
  'do you sell bicycles',
  'how much does a flight to tokyo cost',
  'when was the second world war',
  'where can i buy a washing machine',
];

/** Plausible questions per text that it does not answer. */
export const UNANSWERABLE: readonly (readonly [string, readonly string[]])[] = [
  [
    BOOKSHOP,
    [
      'how much is a pizza',
      'do you sell stamps',
      'do you have bicycles for rent',
      'how much is a haircut',
      'do you have a swimming pool',
    ],
  ],
  [
    CLINIC,
    [
      'do you do tattoos',
      'how much is a massage',
      'can i get a flu shot',
      'do you treat animals',
      'how much are braces',
      'when is the pharmacy open',
    ],
  ],
];
