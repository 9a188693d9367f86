/** Conditions under which a fault refuses requests, by operation and by broken requirement. */
import type { ByOperation, Clauses } from './clauses.ts'

/** Empty for all requests. */
export const refused: ByOperation<Clauses> = {
  'openai.chat': {
    'OAI-CHAT-01': ['temperature: not given', 'messages: with assistant'],
    'OAI-CHAT-12': ['messages: with system; stream: true'],
    'OAI-TEMP-01': ['temperature: at its minimum', 'stream: true; temperature: at its maximum'],
    'OAI-TOPP-01': ['top_p: given', 'stream: true; top_p: given'],
    'OAI-MODELS-02': ['model name: alias; stream: true', 'model name: alias'],
    'OAI-MODELS-03': ['model name: vision; stream: true', 'model name: vision'],
    'OAI-STOP-01': ['stop: a text; stream: not true'],
  },
  'openai.models': {
    'OAI-MODELS-01': [''],
  },
  'v2.message': {
    'V2-MSG-01': ['text: beyond ASCII'],
    'V2-MSG-11': ['parent_id: given'],
    'V2-MSG-12': ['think: true', 'think: false'],
    'V2-MSG-13': ['rag: true', 'rag: false', 'rag: agent'],
    'V2-MSG-14': ['attachments: given'],
    'V2-MODEL-01': ['model name: alias'],
    'V2-MODEL-02': ['model name: vision'],
  },
  'v2.generate': {
    'V2-GEN-04': ['exclude_tools: given'],
    'V2-MODEL-01': ['model name: alias'],
    'V2-MODEL-02': ['model name: vision'],
  },
  'v3.chat': {
    'V3-CHAT-04': [''],
  },
  'v3.deleteChat': {
    'V3-CHAT-11': [''],
  },
  'v3.generateName': {
    'V3-CHAT-12': [''],
  },
  'v3.chats': {
    'V3-CHAT-05': [''],
    'V3-CHAT-06': ['search: given'],
    'V3-CHAT-07': ['limit: given'],
    'V3-CHAT-08': ['cursor: given'],
  },
  'v3.addFavorite': {
    'V3-FAV-01': [''],
  },
  'v3.favorites': {
    'V3-FAV-01': [''],
  },
  'v3.removeFavorite': {
    'V3-FAV-02': [''],
  },
  'v3.generate': {
    'V3-GEN-05': ['input: a text'],
    'V3-GEN-06': ['input: a list', 'input: a list; stream: true'],
    'V3-GEN-07': ['input: with input_image'],
    'V3-GEN-11': ['parent_id: given'],
    'V3-MODEL-01': ['model name: alias', 'model name: alias; stream: true'],
    'V3-MODEL-02': ['input: a text; model name: vision', 'model name: vision; stream: true'],
    'V3-GEN-09': [
      'max_tokens: given',
      'temperature: given',
      'top_p: given',
      'presence_penalty: given',
    ],
    'RAG-04': ['rag: an object'],
  },
  'v3.history': {
    'V3-HIST-12': ['cursor: given'],
  },
  'v3.oneShot': {
    'V3-ONE-02': ['stream: true'],
    'V3-ONE-05': ['runs: given'],
    'V3-ONE-07': ['assistant_id: searcher'],
    'V3-ONE-10': ['input: a list'],
    'V3-MODEL-01': ['model name: alias'],
    'V3-MODEL-02': ['model name: vision'],
    'RAG-02': ['rag: false'],
    'RAG-03': ['rag: agent'],
    'RAG-04': ['rag: an object'],
    'V3-ONE-04': ['content: given', 'content: given; stream: true'],
  },
  'v3.upload': {
    'V3-ATT-01': ['', 'text: beyond ASCII'],
  },
  'v3.attachments': {
    'V3-ATT-06': [''],
    'V3-ATT-08': ['search: given'],
    'V3-ATT-09': ['limit: given'],
    'V3-ATT-10': ['cursor: given'],
  },
  'v3.chatAttachments': {
    'V3-ATT-12': [''],
    'V3-ATT-13': ['search: given'],
  },
}
