/** Edits shared by operations. */
import { sampleImage } from '../../../fixtures/content/media.ts'
import {
  inputText,
  isDeclined,
  plain,
  type Row,
  type Scenario,
  type TargetProfile,
  valuesOf,
} from '../../../harness/conformance/scenario/index.ts'
import { type Caller, secondCaller } from '../../support/credentials.ts'
import { each, otherModels } from '../../support/mistakes.ts'
import type { Body, Plan } from './plan.ts'

/** A field, or undefined if its value is unknown. */
export function optionalField(member: string, value: unknown): Body | undefined {
  return value === undefined ? undefined : { [member]: value }
}

/** Values of `rag`; a search before the answer needs an assistant. */
export function ragEdits({ rag, assistants }: TargetProfile) {
  const assistant_id = assistants?.withoutKnowledge
  const search = (value: unknown) =>
    value === undefined || assistant_id === undefined ? undefined : { rag: value, assistant_id }
  return { ...each('rag', false, 'agent'), true: search(true), object: search(rag?.object) }
}

/** Fields of a v2 message under the conditions of the request for its reply. */
export function fieldsOfMessage(
  { profile, files }: Pick<Scenario, 'profile'> & { readonly files: readonly unknown[] },
  row: Row,
): Body {
  const model = otherModels(profile, 'model_id')[row['model'] as 'alias' | 'vision']
  return {
    ...(row['think'] !== plain && { think: true }),
    ...(row['rag'] !== plain && { rag: row['rag'] === 'true' ? true : row['rag'] }),
    ...model,
    ...(row['attachments'] === 'one' && { attachments: files.slice(0, 1) }),
    ...(row['attachments'] === 'several' && { attachments: files }),
    ...(row['assistant_id'] !== plain && { assistant_id: profile.assistants?.withoutKnowledge }),
  }
}

/** The caller of a row: that of the profile, or the second one. */
export function callerOf(profile: TargetProfile, row: Row): Caller {
  return row['caller'] === 'second' ? (secondCaller(profile) ?? {}) : {}
}

/** Forms of an `input` that is a text. */
export function inputEdits(note: () => string, { prompts, profile, session }: Scenario) {
  const brief = prompts.instruction('You are brief.')
  const plainWords = prompts.instruction('Use plain words.')
  /** True if the system states the fact, in every other input of several items. */
  let isOfSystem = false
  const form = (of: (text: string) => unknown) => (body: Body) => ({
    ...body,
    input: of(String(body['input'])),
  })
  return {
    items: form((text) => [inputText(text)]),
    'several items': form((text) => {
      // With a nonce, so that no other turn shows it.
      const filler = prompts.note(session.nonce())
      isOfSystem = !isOfSystem
      const [first, second] = isOfSystem ? [`${filler} ${note()}`, brief] : [filler, note()]
      return [inputText(`${brief} ${first}`, 'system'), inputText(second), inputText(text)]
    }),
    // The same text, so that its kinds are those of both.
    'item of a developer': form((text) => [inputText(text, 'developer'), inputText(text)]),
    'several parts': form((text) => [
      {
        ...inputText(text),
        // The fact is in neither the first nor the last part.
        content: [brief, note(), text, plainWords].flatMap((part) => inputText(part).content),
      },
    ]),
    image: profile.capabilities.images === true ? withImage(profile.models.vision) : undefined,
  }
}

/** One red pixel in addition to the text. */
function withImage(model: string) {
  return (body: Body): Body => {
    const message = inputText(String(body['input']))
    const image = { type: 'input_image', image_url: sampleImage, detail: 'auto' }
    const input = [{ ...message, content: [...message.content, image] }]
    return { ...body, model_id: model, input }
  }
}

/** Tool lists that forbid the tool of the profile, if it names one. */
export function toolEdits({ tools }: TargetProfile) {
  const { name = 'get_time', search = 'file_search' } = tools ?? {}
  return {
    'include_tools given': { include_tools: [name] },
    'exclude_tools given': { exclude_tools: [name] },
    'several excluded': { exclude_tools: [name, search] },
    'others included': { include_tools: [search] },
    'others excluded': { exclude_tools: ['get_weather', name, 'get_date'] },
    'none excluded': { exclude_tools: [] },
  }
}

/**
 * Sends turns. A guess is a parent, what another key may not have the right to use, and an input that begins with a
 * message of the system if it is refused only in a chat with turns.
 */
export function sendTurns(
  { v3, profile, send }: Scenario & Pick<Plan<'v3.generate'>, 'send'>,
  caller: Caller,
): Pick<Plan<'v3.generate'>, 'send' | 'guesses'> {
  const ofCaller = 'authorization' in caller ? ['model', 'input'] : []
  const guesses = [...guessesOfTools(profile, 'tools'), 'parent', ...ofCaller]
  return {
    guesses,
    async send(body, row) {
      const answer = await send(body, row)
      const [[name, value] = ['', ''], ...others] = valuesOf(row)
      const isAlone = others.length === 0 && name === 'input' && beginsWithSystem.includes(value)
      if (!isAlone || !isDeclined(answer)) return answer
      const { id } = await v3.createChat()
      const inNew = await v3.generate({ ...body, chat_id: id }, { role: 'probe' })
      if (!isDeclined(inNew)) guesses.push('input')
      return answer
    },
  }
}

const beginsWithSystem = ['several items', 'item of a developer']

/** The dimension of tools, if the profile does not name those of the target. */
export function guessesOfTools({ tools }: TargetProfile, dimension: string): readonly string[] {
  return tools?.name === undefined || tools.search === undefined ? [dimension] : []
}

/** Changes a chat, or sends a request that is refused; returns the name of a chat that is renamed. */
export async function doBefore(
  scenario: Scenario,
  chat: string,
  after: string | undefined,
  caller: Caller = {},
): Promise<string | undefined> {
  const { chats, session } = scenario
  const options = { role: 'probe', ...caller } as const
  const name = after === 'rename' ? session.name() : undefined
  if (name !== undefined) await chats.rename(chat, name, options)
  if (after === 'favorite') await chats.addFavorite(chat, options)
  if (after === 'refusal') await sendWithoutKey(scenario, chat, caller)
  return name
}

/** A generation that is refused for its missing Idempotency-Key. */
export async function sendWithoutKey(
  { v3, prompts }: Scenario,
  chat: Parameters<Scenario['v3']['generateBody']>[0],
  caller: Caller,
): Promise<void> {
  await v3.generate(v3.generateBody(chat, prompts.brief()), {
    ...caller,
    key: null,
    role: 'negative',
  })
}

/** A v2 message that is refused for its missing content. */
export async function sendWithoutContent({ v2 }: Scenario, chat: string): Promise<void> {
  await v2.message({ ...v2.messageBody(chat, ''), content: undefined }, { role: 'negative' })
}
