import type { Kind } from '../plan/mix.ts'
import { openaiJson, openaiStream } from './openai.ts'
import type { Transaction } from './transaction.ts'
import { v2Turn } from './v2.ts'
import { oneShotJson, oneShotStream, v3Chat, v3History, v3Json, v3Stream } from './v3.ts'

/** The requests that each kind of transaction sends. */
export const transactions: Readonly<Record<Kind, Transaction>> = {
  'openai-stream': openaiStream,
  'openai-json': openaiJson,
  'v3-stream': v3Stream,
  'v3-json': v3Json,
  'one-shot-stream': oneShotStream,
  'one-shot-json': oneShotJson,
  'v2-turn': v2Turn,
  'v3-history': v3History,
  'v3-chat': v3Chat,
}
