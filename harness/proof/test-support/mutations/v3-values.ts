import type { RequirementId } from '../../../../contract/index.ts'
import { setAt } from '../../../../reference-server/deviations/patches/json.ts'
import { type Block, each, inStream, numbered, type Which } from './blocks.ts'
import type { Mutation } from './mutation.ts'
import { is, isTerminal } from './v3-order.ts'

const text = 'response.output_text.delta'
const thought = 'response.reasoning_text.delta'
const added = 'response.output_item.added'
const done = 'response.output_item.done'
const completed = 'response.completed'

/** Changes to the values in events of the v3 stream (section 6; the contract behind it). */
export const v3ValueMutations: readonly Mutation[] = [
  retype('an event without its name', 'V3-SSE-02', all, 'event', [null]),
  retype('the type of an event', 'V3-SSE-03', all, 'json.type', ['response.other', 7, null]),
  retype('the name of an event', 'V3-SSE-03', all, 'event', ['message', 'response.other']),
  retype('an event without type', 'V3-SSE-04', all, 'json.type', [undefined]),
  retype('sequence_number', 'V3-SSE-06', all, 'json.sequence_number', ['1', 1.5, null, undefined]),
  retype('the id of the response', 'V3-SSE-10', isTerminal, 'json.response.id', ['other', 7]),
  retype('created_at', 'V3-SSE-11', isTerminal, 'json.response.created_at', [1, 'today']),
  retype('the model', 'V3-SSE-11', isTerminal, 'json.response.model', ['another', 7]),
  retype('output_index', 'V3-SSE-15', is(text, thought, added), 'json.output_index', [undefined]),
  retype('content_index', 'V3-SSE-15', is(text, thought), 'json.content_index', [undefined]),
  retype('output_index of a fragment', 'V3-SSE-14', is(text, thought), 'json.output_index', [5]),
  retype('item_id of a fragment', 'V3-SSE-14', is(text, thought), 'json.item_id', ['msg_other']),
  retype('a fragment', 'V3-SSE-25', is(text, thought), 'json.delta', [7, null, {}, [], undefined]),
  retype('the last response', 'V3-SSE-09', is(completed), 'json.response', [undefined, null, 'ok']),
  retype('the last output', 'V3-SSE-09', is(completed), 'json.response.output', [
    undefined,
    null,
    {},
  ]),
  retype('the status of a new item', 'V3-SSE-20', is(added), 'json.item.status', ['completed']),
  retype('the status of an item that is done', 'V3-SSE-20', is(done), 'json.item.status', [
    'in_progress',
  ]),
  retype('the status of the response', 'V3-SSE-21', isLifecycle, 'json.response.status', ['done']),
  retype('no error', 'V3-SSE-21', isLifecycle, 'json.response.error', [{ code: 'none' }, 'none']),
  retype('the sum of the usage', 'V3-SSE-22', isTerminal, 'json.response.usage.total_tokens', [
    (total: number) => total + 1,
    (total: number) => String(total),
    -1,
  ]),
  retype(
    'what was cached',
    'V3-SSE-22',
    isTerminal,
    'json.response.usage.input_tokens_details.cached_tokens',
    [1e6],
  ),
  retype('the text that is done', 'V3-SSE-18', is('response.output_text.done'), 'json.text', [
    'Another text',
  ]),
  retype('the part that is done', 'V3-SSE-18', is('response.content_part.done'), 'json.part.text', [
    'Another text',
  ]),
  retype('the arguments that are done', 'V3-SSE-18', isArguments, 'json.arguments', ['{}']),
  retype('where a source is', 'V3-SSE-28', isAnnotation, 'json.annotation', [
    (old: object) => ({ ...old, index: 1e6 }),
    (old: object) => ({ ...old, index: -1 }),
  ]),
  truncate('the last text', 'V3-SSE-17', is(completed), 'json.response.output', shorterAnswer),
  truncate('the text of an item', 'V3-SSE-18', isMessageDone, 'json.item.content.*.text'),
  truncate('a fragment', 'V3-SSE-17', is(text), 'json.delta'),
  truncate('a fragment of thought', 'V3-SSE-18', is(thought), 'json.delta'),

  changed('corrupt', 'a fragment with a character replaced', 'V3-SSE-17', is(text), (block) => [
    setAt(block, 'json.delta', (old: string) => `${withoutLast(old)}\ufffd`),
  ]),
  changed('corrupt', 'a character cut by two fragments', 'V3-SSE-27', isAstral, (block) => {
    const [before, after] = halves(deltaOf(block))
    return [setAt(block, 'json.delta', before), setAt(block, 'json.delta', after)]
  }),
  inStream(
    'v3',
    'corrupt',
    'arguments that are no JSON, everywhere alike',
    'V3-SSE-23',
    (blocks) => (blocks.some(isArguments) ? [() => blocks.map(withPythonArguments)] : []),
  ),
]

/** One mutant for each block and value. */
function retype(
  what: string,
  row: RequirementId,
  which: Which,
  path: string,
  values: readonly unknown[],
): Mutation {
  const edits = values.map((value) => each(which, (block) => [setAt(block, path, value)]))
  return inStream('v3', 'retype', what, row, (blocks) => edits.flatMap((edit) => edit(blocks)))
}

function truncate(
  what: string,
  row: RequirementId,
  which: Which,
  path: string,
  shortened: (old: unknown) => unknown = withoutLast,
): Mutation {
  const shorter = (block: Block) => setAt(block, path, shortened)
  const differs: Which = (block, at, blocks) =>
    which(block, at, blocks) && JSON.stringify(shorter(block)) !== JSON.stringify(block)
  return changed('truncate', what, row, differs, (block) => [shorter(block)])
}

function changed(
  kind: Mutation['kind'],
  what: string,
  row: RequirementId,
  which: Which,
  become: (block: Block) => readonly Block[],
): Mutation {
  const edits = each(which, become)
  return inStream('v3', kind, what, row, (blocks) =>
    edits(blocks).map((make) => () => numbered(make())),
  )
}

function all(): boolean {
  return true
}

function isLifecycle({ json }: Block): boolean {
  return typeof json === 'object' && json['response'] !== undefined
}

function isMessageDone({ event, json }: Block): boolean {
  return event === done && typeof json === 'object' && json['item'].type === 'message'
}

function isAnnotation({ event }: Block): boolean {
  return event === 'response.output_text.annotation.added'
}

function isArguments({ event }: Block): boolean {
  return event === 'response.function_call_arguments.done'
}

function isAstral(block: Block): boolean {
  return block.event === text && /[\u{10000}-\u{10ffff}]/u.test(deltaOf(block))
}

/** Text without its last character; half of one would be another fault. */
function withoutLast(text: unknown): string {
  return [...String(text)].slice(0, -1).join('')
}

/** The last item of an output is its answer. */
function shorterAnswer(output: unknown): unknown {
  if (!Array.isArray(output)) return output
  const path = `${output.length - 1}.content.*.text`
  return setAt(output, path, withoutLast)
}

/** Arguments as Python writes an object; each fragment of the arguments is written so as well. */
function withPythonArguments(block: Block): Block {
  const python = (json: unknown) =>
    typeof json === 'string' ? json.replaceAll('"', "'").replace('{', '{,') : json
  const paths = ['json.arguments', 'json.item.arguments', 'json.response.output.*.arguments']
  const isFragment = block.event === 'response.function_call_arguments.delta'
  return paths
    .concat(isFragment ? ['json.delta'] : [])
    .reduce((other, path) => setAt(other, path, python), block)
}

function halves(fragment: string): readonly [string, string] {
  const at = fragment.search(/[\ud800-\udbff][\udc00-\udfff]/) + 1
  return [fragment.slice(0, at), fragment.slice(at)]
}

function deltaOf({ json }: Block): string {
  return typeof json === 'object' ? String(json['delta']) : ''
}
