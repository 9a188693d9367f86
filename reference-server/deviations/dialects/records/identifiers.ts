/** Identifiers and times in other formats: the document specifies most of them only as strings. */
import { isUuid } from '../../../../contract/json.ts'
import type { Call } from '../../../http/call.ts'
import type { Patch } from '../../../services.ts'
import { mapStrings } from '../../patches/json.ts'
import { onBody, setFields } from '../../patches/replies.ts'
import { everywhere } from '../../patches/requests.ts'
import { counting } from '../../patches/services.ts'
import { alternatives, type Dialect, dialectTable } from '../../table.ts'

export const identifiers: readonly Dialect[] = [
  ...dialectTable({
    'attachment-ids-tagged: Attachment ids have the prefix file- and are not UUIDs.': {
      excludes: ['uuids-in-capitals'],
      patch: tagAttachments(),
    },
    'searches-have-ids: A search of a knowledge base returns an id of its request.': (services) =>
      setFields('knowledge.search', { request_id: () => services.ids.uuid() })(services),
  }),
  ...alternatives({
    'ids-counted: Ids of completions, responses and items are consecutive numbers as strings.':
      tagIds((_prefix, count) => String(count)),
    'ids-long: Ids of completions, responses and items are long and contain special characters.':
      tagIds((prefix, count) => `urn:${prefix}/${'%2F+é='.repeat(20)}#${count}`),
  }),
  ...alternatives({
    'uuids-in-capitals: UUIDs are in upper case.': translate(
      (text) => (isUuid(text) ? text.toUpperCase() : text),
      (text) => (isUuid(text) ? text.toLowerCase() : text),
    ),
    'uuids-of-version-7: UUIDs are of version 7 (time-ordered).': (services) => ({
      ...services,
      ids: { ...services.ids, uuid: () => timeOrderedUuid(services.ids.uuid(), Date.now()) },
    }),
  }),
  ...alternatives({
    'times-with-offset: Timestamps have microseconds and the offset +00:00 instead of Z.':
      changeTimes((text) => text.replace(/(\.\d+)?Z$/, '.123456+00:00')),
    'times-in-whole-seconds: Timestamps have no fractional seconds.': changeTimes((text) =>
      text.replace(/\.\d+Z$/, 'Z'),
    ),
    'times-as-week-dates: Timestamps are ISO 8601 week dates: 2026-W48-1T15:58:03Z.': changeTimes(
      (text) => text.replace(/^[^T]+/, weekDate),
    ),
    'times-as-ordinal-dates: Timestamps are ISO 8601 ordinal dates with decimal minutes: 2026-327T15:58,05Z.':
      changeTimes((text) =>
        text
          .replace(/^[^T]+/, (date) => `${date.slice(0, 4)}-${dayOfYear(date)}`)
          .replace(/:(\d\d)(?:\.\d+)?Z$/, (_, seconds: string) => `${decimalOf(seconds)}Z`),
      ),
  }),
]

const dayMs = 86_400_000

/** Day of the year, with three digits. */
function dayOfYear(date: string): string {
  const day = (Date.parse(date) - Date.parse(`${date.slice(0, 4)}-01-01`)) / dayMs + 1
  return String(day).padStart(3, '0')
}

/** The ISO week of a date begins on Monday and belongs to the year of its Thursday. */
function weekDate(date: string): string {
  const day = ((new Date(date).getUTCDay() + 6) % 7) + 1
  const thursday = new Date(Date.parse(date) + (4 - day) * dayMs).toISOString().slice(0, 10)
  const week = Math.ceil(Number(dayOfYear(thursday)) / 7)
  return `${thursday.slice(0, 4)}-W${String(week).padStart(2, '0')}-${day}`
}

/** Seconds as a decimal fraction of a minute. */
function decimalOf(seconds: string): string {
  return `,${String(Math.floor((Number(seconds) / 60) * 1000)).padStart(3, '0')}`
}

function tagIds(make: (prefix: string, count: number) => string): Patch {
  return counting((next) => (services) => ({
    ...services,
    ids: { ...services.ids, tagged: (prefix) => make(prefix, 1000 + next()) },
  }))
}

/** Changes the strings of answers, and reads those of requests back. */
function translate(
  write: (text: string, name: string, call: Call) => string,
  read: (text: string) => string,
): Patch {
  return (services) => ({
    ...onBody(everywhere, (reply, call) => ({
      ...reply,
      body: mapStrings(reply.body, (text, name) => write(text, name, call)),
    }))(services),
    incoming: (call) => {
      const received = services.incoming(call)
      const params = Object.entries(received.params).map(([name, value]) => [name, read(value)])
      return {
        ...received,
        body: mapStrings(received.body, read),
        query: mapStrings(received.query, read),
        params: Object.fromEntries(params),
      }
    },
  })
}

/** RFC 9562, 5.7: 48 bits of Unix milliseconds, then the version. */
function timeOrderedUuid(random: string, now: number): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}

function tagAttachments(): Patch {
  const tagged = /^file-(?=[\da-f]{8}-[\da-f-]{27}$)/i
  return translate(
    (text, name, { path }) =>
      name === 'id' && isUuid(text) && /\/attachments?$/.test(path) ? `file-${text}` : text,
    (text) => text.replace(tagged, ''),
  )
}

function changeTimes(change: (text: string) => string): Patch {
  return onBody(everywhere, (reply) => ({
    ...reply,
    body: mapStrings(reply.body, (text, name) =>
      name.endsWith('_at') && /^\d{4}-\d\d-\d\dT/.test(text) ? change(text) : text,
    ),
  }))
}
