import type { RunSettings } from '../events/run.ts'

/** Settings of a generation that names none, without thinking. */
export const plainSettings: RunSettings = {
  model: 'svc-main-model',
  think: false,
  tools: [],
  maxTokens: null,
  temperature: 1,
  topP: 1,
  presencePenalty: 0,
  instructions: null,
  stored: true,
  previousRunId: null,
}
