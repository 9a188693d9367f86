import { html, type Markup } from '../../../reports/html/markup.ts'
import { builtInMixes } from '../../load/plan/mix.ts'

/** Values of a form by flag, such as `rate`. */
export type Fields = Readonly<Record<string, string>>

interface Field {
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly isRequired?: boolean
  /** Values to choose from. */
  readonly values?: readonly string[]
}

const mix: Field = {
  label: 'Mix',
  value: 'openai-stream',
  values: [...builtInMixes.keys()],
}
const slo: Field = { label: 'SLOs', value: '', hint: 'ttft.p95 < 1s; errors < 1%' }

/** Commands that measure a target, with the flags that the forms of the page set. */
const measurements = {
  load: {
    title: 'Load run',
    fields: {
      rate: { label: 'Requests a second', value: '5', isRequired: true },
      duration: { label: 'Duration', value: '30s', isRequired: true },
      slo,
      mix,
    },
  },
  capacity: {
    title: 'Capacity search',
    fields: {
      slo: { ...slo, value: 'ttft.p95 < 1s', isRequired: true },
      min: { label: 'From, a second', value: '1', isRequired: true },
      max: { label: 'To', value: '', hint: '10000' },
      budget: { label: 'Budget', value: '5m', isRequired: true },
      mix,
    },
  },
} satisfies Record<string, { title: string; fields: Record<string, Field> }>

export type Measurement = keyof typeof measurements

export const measurementNames = Object.keys(measurements) as Measurement[]

/** `--rate=5`; values that are empty, and fields that a form does not have, are left out. */
export function flagsOf({
  measurement,
  fields,
}: {
  readonly measurement: Measurement
  readonly fields: Fields
}): readonly string[] {
  return Object.keys(measurements[measurement].fields)
    .filter((name) => (fields[name] ?? '').trim() !== '')
    .map((name) => `--${name}=${fields[name]}`)
}

/** @param given values that are shown instead of the defaults */
export function measurementForm(
  name: Measurement,
  given: Fields | undefined,
  isRunning: boolean,
): Markup {
  const { title, fields } = measurements[name]
  const controls = Object.entries<Field>(fields).map(([flag, field]) => {
    const value = given?.[flag] ?? field.value
    const required = field.isRequired ? html` required` : null
    const option = (one: string) =>
      html`<option${one === value ? html` selected` : null}>${one}</option>`
    return field.values === undefined
      ? html`<label>${field.label} <input name="${flag}" value="${value}" placeholder="${field.hint ?? ''}"${required}></label>`
      : html`<label>${field.label} <select name="${flag}">${field.values.map(option)}</select></label>`
  })
  return html`<details${given === undefined ? null : html` open`}><summary>${title}</summary>
<form data-measurement="${name}" aria-label="${title}">${controls}
<button${isRunning ? html` aria-disabled="true"` : null}>Start the ${title.toLowerCase()}</button></form></details>`
}
