/** Fields of a date and a time, as ISO 8601 writes them. */
const month = '(?:0[1-9]|1[0-2])'
const day = '(?:0[1-9]|[12]\\d|3[01])'
const week = 'W(?:0[1-9]|[1-4]\\d|5[0-3])'
const dayOfWeek = '[1-7]'
const dayOfYear = '(?:00[1-9]|0[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'
const hour = '(?:[01]\\d|2[0-4])'
const minute = '[0-5]\\d'
const second = '(?:[0-5]\\d|60)'
/** The last field may have a decimal fraction, whichever it is. */
const fraction = '(?:[.,]\\d+)?'
const zone = '(?:Z|[+-]00(?::?00)?)'

/** A date may count months, weeks or days of the year. */
const extended =
  `\\d{4}-(?:${month}-${day}|${week}-${dayOfWeek}|${dayOfYear})` +
  `T${hour}(?::${minute}(?::${second})?)?${fraction}`
const basic =
  `\\d{4}(?:${month}${day}|${week}${dayOfWeek}|${dayOfYear})` +
  `T${hour}(?:${minute}(?:${second})?)?${fraction}`

/** Any ISO 8601 form of date and time that says it is UTC (section 2.3). */
export const utcTimestamp = new RegExp(`^(?:${extended}|${basic})${zone}$`, 'i')
