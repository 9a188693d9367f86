/** Fields of a date and a time, as ISO 8601 writes them. */
const month = '(?:0[1-9]|1[0-2])'
const day = '(?:0[1-9]|[12]\\d|3[01])'
const hour = '(?:[01]\\d|2[0-4])'
const minute = '[0-5]\\d'
const second = '(?:[0-5]\\d|60)(?:[.,]\\d+)?'
const zone = '(?:Z|[+-]00(?::?00)?)'

const extended = `\\d{4}-${month}-${day}T${hour}(?::${minute}(?::${second})?)?`
const basic = `\\d{4}${month}${day}T${hour}(?:${minute}(?:${second})?)?`

/** Any ISO 8601 form of date and time that says it is UTC (section 2.3). */
export const utcTimestamp = new RegExp(`^(?:${extended}|${basic})${zone}$`, 'i')
