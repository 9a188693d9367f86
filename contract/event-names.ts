/** Event names of the Responses-style contract (docs/internals/wire-contract.md, framing and names). */

export const terminalEvents = [
  'response.completed',
  'response.failed',
  'response.incomplete',
  'error',
] as const

/** Events whose data contains the whole response. */
export const lifecycleEvents = [
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.failed',
  'response.incomplete',
] as const

const phases = (family: string, ...words: readonly string[]) =>
  words.map((word) => `response.${family}.${word}`)

/** Names that a checker does not report as unknown. */
export const knownEvents: ReadonlySet<string> = new Set([
  ...lifecycleEvents,
  'error',
  'keepalive',
  ...phases('output_item', 'added', 'done'),
  ...phases('content_part', 'added', 'done'),
  ...phases('output_text', 'delta', 'done', 'annotation.added'),
  ...phases('refusal', 'delta', 'done'),
  ...phases('reasoning_text', 'delta', 'done'),
  ...phases('reasoning_summary_part', 'added', 'done'),
  ...phases('reasoning_summary_text', 'delta', 'done'),
  ...phases('function_call_arguments', 'delta', 'done'),
  ...phases('file_search_call', 'in_progress', 'searching', 'completed'),
  ...phases('web_search_call', 'in_progress', 'searching', 'completed'),
  ...phases('code_interpreter_call', 'in_progress', 'interpreting', 'completed'),
  ...phases('code_interpreter_call_code', 'delta', 'done'),
  ...phases('image_generation_call', 'in_progress', 'generating', 'completed', 'partial_image'),
  ...phases('mcp_call', 'in_progress', 'completed', 'failed'),
  ...phases('mcp_call_arguments', 'delta', 'done'),
  ...phases('mcp_list_tools', 'in_progress', 'completed', 'failed'),
  ...phases('custom_tool_call_input', 'delta', 'done'),
  ...phases('shell_call_command', 'added', 'delta', 'done'),
  ...phases('shell_call_output_content', 'delta', 'done'),
  ...phases('audio', 'delta', 'done'),
  ...phases('audio.transcript', 'delta', 'done'),
])
