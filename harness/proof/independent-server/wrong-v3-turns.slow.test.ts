import { beforeAll, describe, test } from 'vitest'
import type { ConformanceReport } from '../../../contract/report/conformance.ts'
import type { Check, Occasion } from '../test-support/independent-server/hooks.ts'
import {
  expectExactly,
  judged,
  judgedLegal,
  type Wrong,
} from '../test-support/independent-server/judged.ts'
import { together } from '../test-support/independent-server/together.ts'

/** Each wrong way to take a turn in a chat breaks the rows that are about it, and no other. */
describe('a v3 service', () => {
  let legal: ConformanceReport
  beforeAll(async () => {
    legal = await judgedLegal('v3')
  })

  test.each(wrongs())('that $what', async (wrong) => {
    expectExactly(wrong, legal, await judged('v3', wrong.hooks))
  })
})

function wrongs(): Wrong[] {
  const everyCredential = [1, 2, 3, 4].map((row) => `V3-AUTH-0${row} fail`)
  const right = (authorization: string | undefined, key: string) =>
    authorization === `Bearer ${key}`
  return [
    together(
      duplicates('finished JSON', 'V3-IDEM-02'),
      {
        what: 'ignores max_tokens',
        hooks: { maxTokens: () => undefined },
        breaks: ['V3-GEN-10 warn'],
      },
      {
        what: 'does not know an alias',
        hooks: { knows: (model) => model !== 'SVC-Main' },
        breaks: ['V3-MODEL-01 fail'],
      },
    ),
    together(duplicates('finished stream', 'V3-IDEM-03'), {
      what: 'refuses with 500',
      hooks: { refusedStatus: 500 },
      breaks: ['V3-GEN-13 warn'],
    }),
    together(duplicates('in flight', 'V3-IDEM-04'), {
      what: 'leaves the output out of its JSON',
      hooks: {
        response: ({ output, ...body }, streamed) => (streamed ? { ...body, output } : body),
      },
      breaks: ['V3-GEN-02 fail'],
    }),
    together(duplicates('racing', 'V3-IDEM-05'), {
      what: 'adds up its usage wrongly in JSON',
      hooks: {
        response: (body, streamed) =>
          streamed
            ? body
            : { ...body, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 7 } },
      },
      breaks: ['V3-GEN-12 warn'],
    }),
    together(
      forgets('takes a generation without a key of the turn', 'key of the turn', 'V3-IDEM-01'),
      {
        what: 'forgets earlier runs',
        hooks: { sees: (_conversation, _everything, input) => input },
        breaks: ['V3-CTX-01 fail'],
      },
    ),
    together(forgets('takes both lists of tools', 'both tool lists', 'V3-TOOLS-01'), {
      what: 'knows what was said in other chats',
      hooks: { sees: (_, everything) => everything },
      breaks: ['V3-CTX-02 fail'],
    }),
    together(forgets('takes fields of any type', 'types of a generation', 'V3-GEN-17'), {
      what: 'answers a repeat with 500',
      hooks: { conflictStatus: 500 },
      breaks: ['V3-IDEM-08 warn'],
    }),
    {
      what: 'takes the same text in a chat for the same turn',
      hooks: { turnOf: (_, content) => content, repeats: () => 'JSON' },
      // A stream is asked for with a text that was answered as JSON.
      breaks: ['V3-IDEM-07 fail', 'V3-SSE-01 fail'],
    },
    {
      what: 'takes no key that is not a UUID',
      hooks: { takesKey: (key) => /^[0-9a-f-]{36}$/.test(key) },
      breaks: ['V3-IDEM-06 fail'],
    },
    together(
      {
        what: 'stores a generation that it refuses',
        hooks: { storesRefused: true },
        breaks: ['V3-GEN-14 warn'],
      },
      {
        what: 'compares the beginning of the token',
        hooks: {
          accepts: (given = '', key) => given.length > 9 && `Bearer ${key}`.startsWith(given),
        },
        breaks: ['V3-AUTH-04 fail'],
      },
    ),
    together(
      {
        what: 'gives every response the same id',
        hooks: { newId: () => 'resp-1' },
        // A parent_id then names the first run, without what was said since.
        breaks: ['V3-GEN-15 warn', 'V3-CTX-01 fail'],
      },
      {
        what: 'refuses a token with 500',
        hooks: { refusal: () => 500 },
        breaks: ['V3-AUTH-06 warn'],
      },
    ),
    {
      what: 'shows no id of a new chat',
      hooks: { created: (_, name) => ({ name }) },
      breaks: ['V3-CHAT-01 fail'],
      // Without a chat there is no twin.
      leavesOpen: [1, 2, 3, 4, 5, 6].map((row) => `V3-AUTH-0${row}`),
    },
    {
      what: 'looks at no token for GET /message',
      hooks: {
        accepts: (given, key, route) => right(given, key) || route === 'GET /api/v3/message',
      },
      breaks: everyCredential,
    },
    {
      what: 'looks at no token for POST /message/generate',
      hooks: { accepts: (given, key, route) => right(given, key) || route.endsWith('/generate') },
      breaks: everyCredential,
    },
  ]
}

function duplicates(occasion: Occasion, row: string): Wrong {
  return {
    what: `makes a second step of a repeat (${occasion})`,
    // Slow, so that a repeat in flight is one, and requests that race meet.
    hooks: { remembers: (other) => other !== occasion, gapMs: 20 },
    breaks: [`${row} fail`],
  }
}

function forgets(what: string, check: Check, row: string): Wrong {
  return { what, hooks: { checks: (other) => other !== check }, breaks: [`${row} fail`] }
}
