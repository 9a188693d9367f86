/** Faults of the validation of v3 generations and of its status (section 4.3). */
import type { Call } from '../../../../http/call.ts'
import type { Patch } from '../../../../services.ts'
import { isBoolean, isNumber, isText, type Json, setAt, toObject } from '../../../patches/json.ts'
import { onError, onReply } from '../../../patches/replies.ts'
import { onRequest, onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const statusFaults = faultTable({
  'V3-GEN-13': {
    'v3-missing-key-crashes: A generation without Idempotency-Key returns 500.': changeStatus(
      500,
      ({ headers }) => headers['idempotency-key'] === undefined,
    ),
    'v3-both-tool-lists-crash: A generation with both tool lists returns 500.': changeStatus(
      500,
      ({ body }) => hasBothLists(toObject(body)),
    ),
    'v3-wrong-type-crashes: A generation with a non-numeric temperature returns 500.': changeStatus(
      500,
      ({ body }) => typeof (toObject(body)['temperature'] ?? 1) !== 'number',
    ),
    'v3-missing-model-crashes: A generation without model_id returns 500.': changeStatus(
      500,
      ({ body }) => toObject(body)['model_id'] === undefined,
    ),
  },
  'V3-GEN-14': {
    'v3-refuses-both-tool-lists-and-stores: A generation with both tool lists is rejected after the step is stored.':
      compose([
        onRequestBody(v3Generate, (body) =>
          hasBothLists(body) ? { ...body, include_tools: null } : body,
        ),
        rejectAfterSuccess(({ body }) => hasBothLists(toObject(body))),
      ]),
    'v3-refuses-missing-key-and-stores: A generation without Idempotency-Key is rejected after the step is stored.':
      compose([
        generateMissingKey(),
        rejectAfterSuccess(({ headers }) => headers['idempotency-key'] === undefined),
      ]),
  },
})

const typeFaults: readonly Fault[] = [
  acceptWrongType('stream', isBoolean, false),
  acceptWrongType('chat_id', isText, (value: unknown) => toObject(value)['id']),
  acceptWrongType('model_id', isText, 'svc-main-model'),
  acceptWrongType('input', (value) => isText(value) || Array.isArray(value), JSON.stringify),
  acceptWrongType('think', isBoolean, null),
  acceptWrongType('include_tools', Array.isArray, null),
  acceptWrongType('exclude_tools', Array.isArray, null),
  acceptWrongType('max_tokens', isNumber, null),
  acceptWrongType('temperature', isNumber, null),
  acceptWrongType('top_p', isNumber, null),
  acceptWrongType('presence_penalty', isNumber, null),
  acceptWrongType('assistant_id', isText, null),
  acceptWrongType('parent_id', isText, null),
  acceptWrongType('rag', (value) => !isNumber(value), null),
  acceptWrongType('top_p', isNumber, null, 'in-streams'),
  acceptWrongType('parent_id', isText, null, 'in-streams'),
  ...(['include_tools', 'exclude_tools'] as const).map(
    (list): Fault => ({
      name: `v3-${list.replace('_', '-')}-of-numbers`,
      summary: `A generation with numbers in ${list} is accepted.`,
      breaks: ['V3-GEN-17'],
      patch: onRequestBody(v3Generate, (body) =>
        setAt(body, list, (value: unknown) =>
          Array.isArray(value) ? value.filter((name) => !isNumber(name)) : value,
        ),
      ),
    }),
  ),
]

export const generateRefusalFaults: readonly Fault[] = [...statusFaults, ...typeFaults]

/** Generates a missing Idempotency-Key for each request. */
export function generateMissingKey(when: (body: Json) => boolean = () => true): Patch {
  return onRequest(v3Generate, (call) =>
    when(toObject(call.body))
      ? { ...call, headers: { 'idempotency-key': call.id, ...call.headers } }
      : call,
  )
}

/** Accepts a listed field of any type. */
function acceptWrongType(
  field: string,
  fits: (value: unknown) => boolean,
  mend: unknown,
  where: 'in-streams' | '' = '',
): Fault {
  const mended = (value: unknown) => (typeof mend === 'function' ? mend(value) : mend)
  return {
    name: `v3-${field.replaceAll('_', '-')}-of-any-type${where && `-${where}`}`,
    summary: `A ${where ? 'streamed ' : ''}generation with ${field} of the wrong type is accepted.`,
    breaks: ['V3-GEN-17'],
    patch: onRequestBody(v3Generate, (body) =>
      where && body['stream'] !== true
        ? body
        : setAt(body, field, (value: unknown) =>
            value == null || fits(value) ? value : mended(value),
          ),
    ),
  }
}

function changeStatus(status: number, when: (call: Call) => boolean): Patch {
  return onError(
    v3Generate,
    (reply) => ({ ...reply, status }),
    (call) => call.caller !== '' && when(call),
  )
}

/** Performs a generation and answers with an error. */
function rejectAfterSuccess(when: (call: Call) => boolean): Patch {
  return onReply(v3Generate, (reply, call) =>
    call.caller !== '' && when(call)
      ? { status: 400, body: { error: { message: 'Not like this' } } }
      : reply,
  )
}

function hasBothLists(body: unknown): boolean {
  const { include_tools, exclude_tools } = toObject(body)
  return Array.isArray(include_tools) && Array.isArray(exclude_tools)
}
