import { isObject } from '../../../contract/index.ts'

/** What a body in one piece says, on any surface. */
export interface AnswerFields {
  readonly id: string | undefined
  readonly text: string
  readonly usage: Readonly<Record<string, unknown>> | undefined
  readonly failure: string | undefined
}

/** Undefined where the body is no JSON object. */
export function answerFields(json: unknown): AnswerFields | undefined {
  if (!isObject(json)) return undefined
  const { id, usage, status, error } = json
  const generated = ['choices', 'output', 'message'].some((member) => member in json)
  return {
    id: typeof id === 'string' && generated ? id : undefined,
    text: generated ? textOf(json['choices'] ?? json['output'] ?? json['message']) : '',
    usage: isObject(usage) ? usage : undefined,
    failure: status === 'failed' ? `failed: ${textOf(error ?? null).slice(0, 200)}` : undefined,
  }
}

/** Empty where it is nested deeper than the stack allows. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}
