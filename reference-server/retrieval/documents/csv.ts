/** CSV as text: a line per row, each value with the name of its column, so that a row speaks alone. */

export function csvText(csv: string): string {
  const [header = [], ...rows] = readRows(csv)
  if (rows.length === 0) return header.join(', ')
  return rows
    .map((row) => `${row.map((value, at) => labelled(header[at], value)).join('; ')}.`)
    .join('\n\n')
}

function labelled(name: string | undefined, value: string): string {
  return name === undefined || name === '' ? value : `${name}: ${value}`
}

/** RFC 4180: quoted fields may hold commas, line ends and doubled quotes. */
function readRows(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < csv.length) {
    const { value, end } = csv[at] === '"' ? quotedField(csv, at + 1) : plainField(csv, at)
    row.push(value.trim())
    at = end + 1
    if (csv[end] === ',') continue
    if (row.some((field) => field !== '')) rows.push(row)
    row = []
  }
  return rows
}

interface Field {
  readonly value: string
  /** Index of the comma, the line end or the end of the text. */
  readonly end: number
}

function plainField(csv: string, from: number): Field {
  let end = from
  while (end < csv.length && !',\r\n'.includes(csv.charAt(end))) end += 1
  return { value: csv.slice(from, end), end }
}

/** Text between the closing quote and the next comma belongs to no field, and is kept. */
function quotedField(csv: string, from: number): Field {
  let value = ''
  let at = from
  for (;;) {
    const quote = csv.indexOf('"', at)
    if (quote < 0) return { value: value + csv.slice(at), end: csv.length }
    value += csv.slice(at, quote)
    at = quote + 1
    if (csv[at] !== '"') break
    value += '"'
    at += 1
  }
  const rest = plainField(csv, at)
  return { value: value + rest.value, end: rest.end }
}
