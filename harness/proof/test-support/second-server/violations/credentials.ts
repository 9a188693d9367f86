import type { Call } from '../http.ts'
import { legal, type Rules } from '../rules.ts'
import type { Violation } from './violation.ts'

/** Violations that open a door that has to stay shut. */
export const credentials: readonly Violation[] = [
  accepts('a key without a scheme', [], (given, keys) => keys.find((key) => key === given)),
  accepts('the right key in other letters', [2], (given, keys) => {
    const [, token = ''] = given.split(' ')
    return keys.find((key) => key.toLowerCase() === token.toLowerCase())
  }),
  accepts('the key after any scheme', [3], (given, keys) =>
    keys.find((key) => given.endsWith(key)),
  ),
  accepts('the key with more behind it', [2, 4], (given, keys) =>
    keys.find((key) => given.startsWith(`Bearer ${key}`)),
  ),
  accepts('the beginning of the key', [4], (given, keys) => {
    const [, token = ''] = given.split(' ')
    return keys.find((key) => token.length > 8 && key.startsWith(token))
  }),
  open('PATCH /api/v3/chat/{id}'),
  open('DELETE /api/v3/chat/{id}'),
  open('POST /api/v3/chat/{id}/generate-name'),
  open('DELETE /api/v3/chat/{id}/favorite'),
  open('GET /api/v3/chat/{id}/attachments'),
  open('GET /api/v3/chat/favorite'),
  open('POST /api/v3/message/one-shot'),
  open('GET /api/knowledge'),
  {
    name: 'v3 streams open without a key',
    section: '5',
    breaks: [1, 2, 3, 4].map((row) => `V3-AUTH-0${row}`),
    changes: {
      accepts: (authorization, keys, call) =>
        legal.accepts(authorization, keys, call) ??
        (call.route.includes('/api/v3/message') && call.raw['stream'] === true
          ? keys[0]
          : undefined),
    },
  },
  {
    name: 'completions open without a key in streams',
    section: '5',
    breaks: [1, 2, 3, 4].map((row) => `OAI-AUTH-0${row}`),
    changes: {
      accepts: (authorization, keys, call) =>
        legal.accepts(authorization, keys, call) ??
        (call.route.includes('/completions') && call.raw['stream'] === true ? keys[0] : undefined),
    },
  },
]

function accepts(
  name: string,
  rows: readonly number[],
  wrongly: (given: string, keys: readonly string[]) => string | undefined,
): Violation {
  const all = rows.length === 0 ? [1, 2, 3, 4] : rows
  return {
    name: `opens for ${name}`,
    section: '5',
    breaks: ['OAI', 'V2', 'V3'].flatMap((area) => all.map((row) => `${area}-AUTH-0${row}`)),
    changes: {
      accepts: (authorization, keys, call) =>
        legal.accepts(authorization, keys, call) ?? wrongly(authorization ?? '', keys),
    },
  }
}

/** One route that looks at no key. */
function open(route: string): Violation {
  const rule: Rules['accepts'] = (authorization, keys, call: Call) =>
    legal.accepts(authorization, keys, call) ?? (call.route === route ? keys[0] : undefined)
  return {
    name: `${route} opens without a key`,
    section: '5',
    breaks: [1, 2, 3, 4].map((row) => `V3-AUTH-0${row}`),
    changes: { accepts: rule },
  }
}
