/** Identifiers and times in other forms: of most, the document says no more than that they are strings. */
import type { Patch } from '../../../services.ts'
import { mapStrings } from '../../patches/json.ts'
import { onEveryBody } from '../../patches/replies.ts'
import type { Dialect } from '../../types.ts'
import { alternatives } from '../alternatives.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const identifiers: readonly Dialect[] = [
  ...alternatives([
    {
      name: 'ids-counted',
      summary: 'Completions, responses and items are numbered, in strings of digits.',
      patch: tagIds((_prefix, count) => String(count)),
    },
    {
      name: 'ids-long',
      summary: 'Ids of completions, responses and items are long and hold signs of all kinds.',
      patch: tagIds((prefix, count) => `urn:${prefix}/${'%2F+é='.repeat(20)}#${count}`),
    },
  ]),
  ...alternatives([
    {
      name: 'uuids-in-capitals',
      summary: 'UUIDs are shown in capitals.',
      patch: changeUuids((text) => text.toUpperCase()),
    },
    {
      name: 'uuids-of-version-7',
      summary: 'UUIDs begin with the time.',
      patch: (services) => ({
        ...services,
        ids: { ...services.ids, uuid: () => timeOrderedUuid(services.ids.uuid(), Date.now()) },
      }),
    },
  ]),
  {
    name: 'attachment-ids-tagged',
    summary: 'The ids of attachments are no UUIDs.',
    // A tag hides the UUID from those that read it back.
    excludes: ['uuids-in-capitals'],
    patch: tagAttachments(),
  },
  ...alternatives([
    {
      name: 'times-with-offset',
      summary: 'Times end with +00:00 and have six digits of a second.',
      patch: changeTimes((text) => text.replace(/(\.\d+)?Z$/, '.123456+00:00')),
    },
    {
      name: 'times-in-whole-seconds',
      summary: 'Times have no fraction of a second.',
      patch: changeTimes((text) => text.replace(/\.\d+Z$/, 'Z')),
    },
  ]),
]

function tagIds(make: (prefix: string, count: number) => string): Patch {
  return (services) => {
    let count = 1000
    return {
      ...services,
      ids: {
        ...services.ids,
        tagged: (prefix) => {
          count += 1
          return make(prefix, count)
        },
      },
    }
  }
}

/** Requests may bring them in either form. */
function changeUuids(change: (text: string) => string): Patch {
  const lower = (text: string) => (uuid.test(text) ? text.toLowerCase() : text)
  return (services) => ({
    ...onEveryBody((reply) => ({
      ...reply,
      body: mapStrings(reply.body, (text) => (uuid.test(text) ? change(text) : text)),
    }))(services),
    incoming: (call) => {
      const seen = services.incoming(call)
      return {
        ...seen,
        body: mapStrings(seen.body, lower),
        query: mapStrings(seen.query, lower),
        params: Object.fromEntries(
          Object.entries(seen.params).map(([name, value]) => [name, lower(value)]),
        ),
      }
    },
  })
}

/** RFC 9562, 5.7: 48 bits of Unix milliseconds, then the version. */
function timeOrderedUuid(random: string, now: number): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

const attachmentPaths = /\/attachments?$/

function tagAttachments(): Patch {
  const prefix = 'file-'
  return (services) => ({
    ...onEveryBody((reply, call) =>
      attachmentPaths.test(call.path) && reply.status < 300
        ? {
            ...reply,
            body: mapStrings(reply.body, (text, name) =>
              name === 'id' && uuid.test(text) ? prefix + text : text,
            ),
          }
        : reply,
    )(services),
    incoming: (call) => {
      const seen = services.incoming(call)
      const strip = (text: string) =>
        text.startsWith(prefix) && uuid.test(text.slice(prefix.length))
          ? text.slice(prefix.length)
          : text
      return { ...seen, body: mapStrings(seen.body, strip) }
    },
  })
}

function changeTimes(change: (text: string) => string): Patch {
  return onEveryBody((reply) => ({
    ...reply,
    body: mapStrings(reply.body, (text, name) =>
      name.endsWith('_at') && /^\d{4}-\d\d-\d\dT/.test(text) ? change(text) : text,
    ),
  }))
}
