import {
  body,
  bomb,
  deep,
  drip,
  earlyHints,
  echoes,
  endlessBody,
  endlessHeaders,
  endlessLine,
  events,
  historyPage,
  silence,
  status,
} from './answers.ts'
import type { Answer, ReceivedRequest } from './front.ts'

/** A target that does one thing wrong, in some of its answers or in all. */
export interface HostileCase {
  readonly name: string
  readonly answerFor: (request: ReceivedRequest) => Answer | undefined
  /** `limits` of the profile, beside the defaults. */
  readonly limits?: Readonly<Record<string, number>>
  /** Expected text in the report of `check`. */
  readonly says: RegExp
}

const streamed = ({ method, body }: ReceivedRequest) =>
  method === 'POST' && body.includes('"stream":true')
const read = ({ method }: ReceivedRequest) => method === 'GET'
const history = ({ method, path }: ReceivedRequest) => method === 'GET' && path.endsWith('/message')
const models = ({ path }: ReceivedRequest) => path.endsWith('/models')

function where(asks: (request: ReceivedRequest) => boolean, answer: Answer) {
  return (request: ReceivedRequest) => (asks(request) ? answer : undefined)
}

let pages = 0

/** Small limits, so that each is passed at once; `big` leaves the defaults. */
export const hostileCases: readonly HostileCase[] = [
  {
    name: 'a million events in every stream',
    answerFor: where(streamed, events(1_000_000)),
    says: /sent more than 40000 events \(limits\.streamEvents\)/,
  },
  {
    name: 'streams without end',
    answerFor: where(streamed, events()),
    says: /limits\.stream(Events|Bytes)/,
  },
  {
    name: 'a line without end',
    answerFor: where(streamed, endlessLine),
    says: /sent a line of more than 4194304 bytes \(limits\.lineBytes\)/,
  },
  {
    name: 'bodies without end',
    answerFor: where(read, endlessBody),
    says: /sent a body of more than 8388608 bytes \(limits\.bodyBytes\)/,
  },
  {
    name: 'headers without end',
    answerFor: where(read, endlessHeaders),
    says: /[Hh]eader/,
  },
  {
    name: 'a page of 20,000 rows',
    answerFor: where(
      history,
      body(() => historyPage(20_000, null)),
    ),
    says: /sent a page of 20000 rows, more than 10000 \(limits\.historyRows\)/,
  },
  {
    name: 'a page of 100,000 rows',
    answerFor: where(
      history,
      body(() => historyPage(100_000, null)),
    ),
    says: /sent a body of more than 8388608 bytes \(limits\.bodyBytes\)/,
  },
  {
    name: 'a cursor that never ends',
    answerFor: where(history, (socket, request) => {
      pages += 1
      return body(historyPage(0, `c${pages}`))(socket, request)
    }),
    says: /gave 500 pages, and a cursor for more \(limits\.pages\)/,
  },
  {
    name: 'JSON 100,000 levels deep',
    answerFor: where(read, body(deep(100_000))),
    says: /nested more than 200 levels deep \(limits\.jsonDepth\)/,
  },
  {
    name: 'the key 100,000 times',
    answerFor: where(models, echoes(100_000)),
    says: /VIOLATED|INCOMPLETE/,
  },
  {
    name: 'a gigabyte of zeros in a megabyte of gzip',
    answerFor: where(read, bomb),
    says: /bytes of gzip that decode to more than 8388608 bytes \(limits\.bodyBytes\)/,
  },
  ...['999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'].map((value) => ({
    name: `Retry-After: ${value}`,
    answerFor: where(() => true, status('429 Too Many Requests', [`retry-after: ${value}`])),
    says: /answers no request for now.*429 application\/json .*\(Retry-After: /,
  })),
  ...['-1', 'soon'].map((value) => ({
    name: `Retry-After: ${value}`,
    answerFor: where(() => true, status('503 Unavailable', [`retry-after: ${value}`])),
    says: /503/,
  })),
  {
    name: 'a byte now and then',
    answerFor: where(streamed, drip(100)),
    limits: { timeoutMs: 500 },
    says: /500 ms/,
  },
  {
    name: 'hints and no answer',
    answerFor: where(read, earlyHints),
    limits: { timeoutMs: 1_000 },
    says: /more than 1000 interim responses/,
  },
  {
    name: 'silence after the request',
    answerFor: where(() => true, silence),
    limits: { timeoutMs: 1_000 },
    says: /does not answer/,
  },
]
