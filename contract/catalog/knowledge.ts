import type { Requirement } from './requirement.ts'

const bases = {
  level: 'required',
  surface: 'v3',
  section: '4.3',
  capability: 'knowledge',
  member: 'knowledge.routes',
} as const
const rag = {
  level: 'required',
  surface: 'v3',
  section: '4.4',
  capability: 'rag',
  member: 'knowledge',
} as const

/** Sections 2.7, 4.3, 4.4 and 9: knowledge bases, and retrieval before an answer. */
export const knowledge = {
  'KB-01': {
    ...bases,
    title: 'GET on the knowledge prefix MUST list the knowledge bases.',
    needs: ['V3-AUTH-05'],
  },
  'KB-02': { ...bases, title: 'Uploading a document to a base MUST succeed.', needs: ['KB-03'] },
  'KB-03': {
    ...bases,
    title: 'A search in a base MUST find the content of its documents.',
    needs: ['KB-01'],
    hint: 'Documents are indexed later than a search, or not at all; index before the upload is answered, or raise limits.settleMs in the target profile.',
  },
  'KB-04': {
    level: 'required',
    surface: 'v3',
    section: '9',
    title: '/api/knowledge and /api/v3/knowledge MUST give equivalent answers.',
    capability: 'knowledge',
    needs: ['V3-AUTH-05'],
  },
  'RAG-01': {
    ...rag,
    title:
      'With rag: true the server MUST search the base of the assistant before the answer: a search step, or its fact in the answer.',
    needs: ['V3-GEN-02', 'V3-ASST-01'],
  },
  'RAG-02': {
    ...rag,
    title: 'With rag: false the server MUST NOT search before the answer.',
    member: 'tools.search',
    needs: ['V3-GEN-01', 'V3-HIST-16'],
  },
  'RAG-03': {
    ...rag,
    title: 'With rag: agent the server MUST NOT search before the answer.',
    member: 'tools.search',
    needs: ['V3-GEN-01', 'V3-HIST-16'],
  },
  'RAG-04': {
    ...rag,
    title: 'With rag as an object the server MUST search as with true, with the given parameters.',
    member: 'rag.object',
    needs: ['RAG-01'],
  },
  'RAG-05': {
    ...rag,
    title: 'Without rag a chat generation MUST NOT search before the answer.',
    member: 'tools.search',
    needs: ['V3-GEN-01', 'V3-HIST-16'],
  },
  'RAG-06': {
    ...rag,
    title: 'Without rag a one-shot MUST behave as with agent: no search before the answer.',
    member: 'tools.search',
    needs: ['V3-ONE-01'],
  },
  'RAG-07': {
    ...rag,
    title: 'rag: true MUST be accepted with an assistant that has no base.',
    member: 'assistants.withoutKnowledge',
    needs: ['V3-GEN-01', 'V3-ASST-01'],
  },
  'RAG-08': {
    ...rag,
    title: 'The search_type of a rag object MUST be accepted as hybrid, dense and sparse.',
    member: 'rag.object',
    needs: ['RAG-04'],
  },
} as const satisfies Record<string, Requirement>
