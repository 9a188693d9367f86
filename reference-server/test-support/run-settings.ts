import type { RunSettings } from '../events/run.ts'

/** Default settings of a generation, without reasoning. */
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
