import { asArray, asObject, type JsonObject, parseJson } from '../../contract/index.ts'
import {
  assume,
  bodyJson,
  ContractViolation,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isObject,
  statusText,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

/**
 * Section 4.1 lists some fields and names the contract that defines the others. A server may refuse one that it
 * does not support; if it ignores the field, a client mistakes text for a call or for JSON.
 */
describe('compatible surface: tools, response_format and n', () => {
  const tool = {
    type: 'function',
    function: {
      name: 'get_time',
      description: 'Tells the time of day in a time zone',
      parameters: {
        type: 'object',
        properties: { zone: { type: 'string', description: 'Name of the time zone' } },
        required: ['zone'],
      },
    },
  }
  const required = { tools: [tool], tool_choice: 'required' }

  /** Holds for a refusal as well. */
  function expectCalls(answer: Exchange): void {
    if (!supports(answer)) return
    expect(toolCallsOf(answer), 'tool_calls of an answer to tool_choice required').not.toEqual([])
  }

  test(
    'a required tool call SHOULD be made or refused, and its result SHOULD be accepted',
    covers(['OAI-TOOL-01', 'OAI-TOOL-02', 'OAI-TOOL-04'], { requests: 2, generations: 2 }),
    async ({ openai, claim, prompts }) => {
      const question = prompts.time()
      const called = await openai.chat(openai.chatBody(question, required))
      const calls = toolCallsOf(called)
      assume(calls.length > 0 || !wasCut(called), cutBeforeCall, called)
      const made = claim('OAI-TOOL-01', () => expectCalls(called), called)
      assume(made && calls.length > 0, 'the target made no tool call', called)

      const results = calls.map((call) => ({
        role: 'tool',
        tool_call_id: asObject(call)?.['id'],
        content: '{"time":"12:34"}',
      }))
      const messages = [{ role: 'user', content: question }, messageOf(called), ...results]
      const answer = await openai.chat(openai.chatBody('', { messages, tools: [tool] }))
      claim('OAI-TOOL-04', () => expectAccepted(answer, 'the result of a tool call'), answer)
    },
  )

  test(
    'a required tool call SHOULD be streamed or refused',
    covers(['OAI-TOOL-01', 'OAI-TOOL-03'], { requests: 1, generations: 1 }),
    async ({ openai, claim, prompts }) => {
      const body = openai.chatBody(prompts.time(), { ...required, stream: true })
      const streamed = await openai.chat(body)
      assume(toolCallsOf(streamed).length > 0 || !wasCut(streamed), cutBeforeCall, streamed)
      claim('OAI-TOOL-01', () => expectCalls(streamed), streamed)
    },
  )

  test(
    'a JSON answer SHOULD be valid JSON, or the request SHOULD be refused',
    covers(['OAI-FORMAT-01', 'OAI-FORMAT-02'], { requests: 2, generations: 2 }),
    async ({ openai, claim, prompts }) => {
      const instruction = prompts.place()
      const requestWith = (response_format: object) =>
        openai.chat(openai.chatBody(instruction, { response_format }))

      const free = await requestWith({ type: 'json_object' })
      if (!supports(free) || cameToItsEnd(free)) {
        claim('OAI-FORMAT-01', () => expectContent(free, isObject, 'a JSON object'), free)
      }
      const strict = await requestWith({ type: 'json_schema', json_schema: place })
      if (!supports(strict) || cameToItsEnd(strict)) {
        const what = 'an object of the schema: a city, and Norway or Portugal as its country'
        claim('OAI-FORMAT-02', () => expectContent(strict, isPlace, what), strict)
      }
    },
  )

  test(
    'n SHOULD return that many choices, or SHOULD be refused',
    covers(['OAI-N-01'], { requests: 1, generations: 1 }),
    async ({ openai, claim, prompts }) => {
      const answer = await openai.chat(openai.chatBody(prompts.brief(), { n: 2 }))
      const indexes = choicesIn(bodyJson(answer)).map((choice) => choice['index'])
      const usable = supports(answer) ? indexes.toSorted() : [0, 1]
      claim('OAI-N-01', () => expect(usable, 'indexes of the choices with n: 2').toEqual([0, 1]))
    },
  )
})

const cutBeforeCall = 'a limit of tokens ended the answer before a tool call'

const place = {
  name: 'place',
  strict: true,
  schema: {
    type: 'object',
    properties: { city: { type: 'string' }, country: { enum: ['Norway', 'Portugal'] } },
    required: ['city', 'country'],
    additionalProperties: false,
  },
}

function isPlace(value: unknown): boolean {
  if (!isObject(value)) return false
  const { city, country, ...others } = value
  const named = typeof city === 'string' && (country === 'Norway' || country === 'Portugal')
  return named && Object.keys(others).length === 0
}

/** Holds for a refusal as well. */
function expectContent(answer: Exchange, fits: (value: unknown) => boolean, what: string): void {
  if (!supports(answer)) return
  const { content } = messageOf(answer)
  if (fits(typeof content === 'string' ? parseJson(content) : undefined)) return
  const text = String(content)
  const excerpt = text.length > 80 ? `${text.slice(0, 80)}…` : text
  throw new ContractViolation(`content: expected ${what}, received ${excerpt}`)
}

/**
 * Tests if an optional feature of the contract is supported: a success claims it; a 4xx, or an
 * error in place of an answer, rejects it.
 * Anything else ends the scenario undecided.
 */
function supports(answer: Exchange): boolean {
  if (succeeded(answer)) return !isDeclined(answer)
  const status = answer.response?.status ?? 0
  const isRefusal = status >= 400 && status < 500 && !passing.has(status)
  assume(isRefusal, `the request was answered ${statusText(answer)}`, answer)
  return false
}

/** Statuses that refuse the caller or the rate, not the feature. */
const passing = new Set([401, 403, 408, 425, 429])

/** `message` of the first choice. */
function messageOf(answer: Exchange): JsonObject {
  return asObject(choicesIn(bodyJson(answer))[0]?.['message']) ?? {}
}

/** The tool calls of the first choice: complete ones, or the fragments of a stream. */
function toolCallsOf(answer: Exchange): readonly unknown[] {
  const isStream = answer.events.length > 0
  return firstChoices(answer).flatMap(({ delta, message }) =>
    asArray(asObject(isStream ? delta : message)?.['tool_calls']),
  )
}

/** False if the answer was cut, filtered or refused by the model, so that its form proves nothing. */
function cameToItsEnd(answer: Exchange): boolean {
  const reason = choicesIn(bodyJson(answer))[0]?.['finish_reason']
  return reason === 'stop' && typeof messageOf(answer)['refusal'] !== 'string'
}

/** True if a token limit ended the answer, streamed or not. */
function wasCut(answer: Exchange): boolean {
  return firstChoices(answer).some((choice) => choice['finish_reason'] === 'length')
}

/** The first choice of an answer, or of each chunk of a stream. */
function firstChoices(answer: Exchange): readonly JsonObject[] {
  const bodies =
    answer.events.length > 0 ? answer.events.map(({ data }) => parseJson(data)) : [bodyJson(answer)]
  return bodies.flatMap((body) => choicesIn(body).slice(0, 1))
}

function choicesIn(json: unknown): readonly JsonObject[] {
  return asArray(asObject(json)?.['choices']).filter(isObject)
}
